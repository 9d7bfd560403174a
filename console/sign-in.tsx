/** The sign-in page: a key of the admin surface, or the admin token. */
import { useState } from 'preact/hooks';
import { faultText } from './api.ts';
import { Notice } from './ui.tsx';

export interface SignInProps {
  readonly signIn: (key: string) => Promise<void>;
  /** Why the last session ended. */
  readonly why: string | undefined;
}

export function SignIn({ signIn, why }: SignInProps) {
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
    <main class="sign-in">
      <h1>Agent Governance Gateway</h1>
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
          It is kept for this tab until you sign out or close it. To approve and deny, use a key of a person with the
          role operator.
        </p>
        <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
        <button type="submit" class="good" disabled={busy}>
          Sign in
        </button>
      </form>
    </main>
  );
}
