/** What a verification came to: valid or not, where it broke, and what it does not prove. */
import { useState } from 'preact/hooks';
import { faultText } from '../api.ts';
import type { Verified } from '../evidence/verify.ts';
import { Code, Fact, Facts, Notice, Text } from '../ui.tsx';

interface Verifying {
  readonly busy: boolean;
  readonly fault: string | undefined;
  readonly verified: Verified | undefined;
  /** @param bundle its text or bytes, asked for when the verifier is there. */
  readonly verify: (bundle: () => Promise<string | Uint8Array>, trustedKey: string) => Promise<void>;
}

export function useVerifier(): Verifying {
  const [state, setState] = useState<Omit<Verifying, 'verify'>>({ busy: false, fault: undefined, verified: undefined });
  const verify: Verifying['verify'] = async (bundle, trustedKey) => {
    setState({ busy: true, fault: undefined, verified: undefined });
    try {
      const [{ verified }, text] = await Promise.all([import('../evidence/verify.ts'), bundle()]);
      const result = await verified(text, trustedKey.trim() === '' ? undefined : trustedKey);
      setState({ busy: false, fault: undefined, verified: result });
    } catch (cause) {
      setState({ busy: false, fault: faultText(cause), verified: undefined });
    }
  };
  return { ...state, verify };
}

export function TrustedKey({ value, change }: { readonly value: string; readonly change: (text: string) => void }) {
  return (
    <>
      <label for="trusted-key">Public key that you trust (PEM), got elsewhere than from this gateway</label>
      <textarea
        id="trusted-key"
        class="code"
        rows={4}
        spellcheck={false}
        placeholder="-----BEGIN PUBLIC KEY-----"
        value={value}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </>
  );
}

export function Verdict({ of: { busy, fault, verified } }: { readonly of: Omit<Verifying, 'verify'> }) {
  return (
    <div role="status">
      {busy && <p>Verifying…</p>}
      {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
      {verified && <Told {...verified} />}
    </div>
  );
}

function Told({ verification }: Verified) {
  const { valid, total_entries, session_manifest_hash, broken_link, checkpoint, passkey_votes, not_checked } =
    verification;
  return (
    <>
      {valid ? (
        <Notice kind="good">
          Valid: {total_entries} {total_entries === 1 ? 'entry' : 'entries'}, verified in this browser.
        </Notice>
      ) : (
        <Notice kind="bad">
          Not valid
          {broken_link && (
            <>
              : at entry {broken_link.index}, <Text of={broken_link.reason} />
            </>
          )}
          .
        </Notice>
      )}
      <Facts>
        {session_manifest_hash && (
          <Fact name="Manifest">
            <Code of={session_manifest_hash} />
          </Fact>
        )}
        {checkpoint && (
          <Fact name="Checkpoint">
            at entry {checkpoint.index}, {checkpoint.created_at}
          </Fact>
        )}
        {passkey_votes !== undefined && (
          <Fact name="Passkeys">
            {passkey_votes} {passkey_votes === 1 ? 'vote is' : 'votes are'} signed with a passkey, and proven
          </Fact>
        )}
        {not_checked.length > 0 && (
          <Fact name="Not checked">
            <Text of={not_checked.join('; ')} />
          </Fact>
        )}
      </Facts>
    </>
  );
}
