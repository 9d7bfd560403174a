/** The sign-in page: a key of the admin surface, or the admin token. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { Button } from './design/button.tsx';
import { Dialog } from './design/dialog.tsx';
import { Field } from './design/field.tsx';
import { Logo } from './design/icon.tsx';
import { Notice } from './design/states.tsx';
import { Text } from './design/text.tsx';
import { signInFault } from './sign-in-fault.ts';

interface SignInProps {
  readonly signIn: (key: string) => Promise<void>;
  /** Why the last session ended. */
  readonly why: string | undefined;
}

export const SignIn = (props: SignInProps) => (
  <main class="sign-in">
    <Logo />
    <h1>Agent Governance Gateway</h1>
    <p class="lead">Sign in to review agents' calls, and to see their activity.</p>
    <SignInForm {...props} />
  </main>
);

interface SignInAgainProps extends SignInProps {
  /** The person who was signed in. */
  readonly who: string;
  readonly signOut: () => void;
}

/** Opens above the page, which stays unchanged, so that typed text is not lost [console.session-end]. */
export function SignInAgain({ who, signOut, ...props }: SignInAgainProps) {
  // Escape would close this dialog, and a second Escape would close the one beneath it and lose the text typed there.
  useLayoutEffect(() => {
    document.addEventListener('keydown', keepOpen, true);
    return () => document.removeEventListener('keydown', keepOpen, true);
  }, []);
  // A browser may close it by other means. It then opens again, because the page is useless without a key.
  const [nth, setNth] = useState(0);
  return (
    <Dialog key={nth} title="Sign in again" close={() => setNth(nth + 1)}>
      <p>
        With a key of <Text of={who} />, this page continues with everything you typed. With another key, the console
        starts afresh.
      </p>
      <SignInForm {...props} />
      <p>
        <Button tone="quiet" onClick={signOut}>
          Sign out
        </Button>
      </p>
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
      setFault(signInFault(cause));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Field
        label="API key or admin token"
        hint="The key is kept in this tab until you sign out or close it. To approve and deny, use the key of a person with the role operator."
      >
        {(tied) => (
          <input
            {...tied}
            type="password"
            required
            autoComplete="off"
            spellcheck={false}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        )}
      </Field>
      <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
      <Button type="submit" tone="primary" disabled={busy}>
        Sign in
      </Button>
    </form>
  );
}
