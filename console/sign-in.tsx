/** The sign-in page: a key of the admin surface, or the admin token. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { faultText } from './api.ts';
import { Dialog } from './dialog.tsx';
import { Notice, Text } from './ui.tsx';

interface SignInProps {
  readonly signIn: (key: string) => Promise<void>;
  /** Why the last session ended. */
  readonly why: string | undefined;
}

export const SignIn = (props: SignInProps) => (
  <main class="sign-in">
    <h1>Agent Governance Gateway</h1>
    <SignInForm {...props} />
  </main>
);

interface SignInAgainProps extends SignInProps {
  /** Who was signed in. */
  readonly who: string;
  readonly signOut: () => void;
}

/** Above the page, which stays as it is: what was typed there is not lost [console.session-end]. */
export function SignInAgain({ who, signOut, ...props }: SignInAgainProps) {
  // Escape would close this dialog, and pressed again the one beneath it, with what was typed there.
  useLayoutEffect(() => {
    document.addEventListener('keydown', keepOpen, true);
    return () => document.removeEventListener('keydown', keepOpen, true);
  }, []);
  // A browser may close it by other means; without a key the page is of no use, so it opens again.
  const [nth, setNth] = useState(0);
  return (
    <Dialog key={nth} title="Sign in again" close={() => setNth(nth + 1)}>
      <p>
        With a key of <Text of={who} /> the page goes on as it is, with what you have typed. Another key begins with new
        pages.
      </p>
      <SignInForm {...props} />
      <button type="button" class="plain" onClick={signOut}>
        Sign out
      </button>
    </Dialog>
  );
}

function keepOpen(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault();
}

function SignInForm({ signIn, why }: SignInProps) {
  const [key, setKey] = useState('');
  const [fault, setFault] = useState(why);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(key.trim());
    } catch (cause) {
      setFault(faultText(cause));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <label for="key">API key or admin token</label>
      <input
        id="key"
        type="password"
        required
        autoComplete="off"
        spellcheck={false}
        value={key}
        aria-describedby="key-use"
        onInput={(event) => setKey(event.currentTarget.value)}
      />
      <p id="key-use" class="quiet">
        It is kept for this tab until you sign out or close it. To approve and deny, use a key of a person with the role
        operator.
      </p>
      <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
      <button type="submit" class="good" disabled={busy}>
        Sign in
      </button>
    </form>
  );
}
