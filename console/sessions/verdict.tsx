/** Result of a verification: valid or not, where it broke, and what it does not prove. */
import { useState } from 'preact/hooks';
import type { Verification } from '#core/contracts/evidence.ts';
import { faultText } from '../api.ts';
import { Fact, Facts } from '../design/layout.tsx';
import { Notice } from '../design/states.tsx';
import { Code, Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { figure } from '../words.ts';

interface VerificationState {
  readonly busy: boolean;
  /** Entries verified so far, while the verification runs. */
  readonly entries: number;
  readonly fault: string | undefined;
  readonly verified: Verification | undefined;
  /** @param bundle called when the verifier has been loaded. */
  readonly verify: (bundle: () => Promise<Blob>, keys: Keys) => Promise<void>;
}

/** Keys as typed. */
interface Keys {
  readonly gateway: string;
  readonly log: string;
}
export const noKeys: Keys = { gateway: '', log: '' };

const idle = { busy: false, entries: 0, fault: undefined, verified: undefined } as const;

export function useVerifier(): VerificationState {
  const [state, setState] = useState<Omit<VerificationState, 'verify'>>(idle);
  const verify: VerificationState['verify'] = async (bundle, { gateway, log }) => {
    setState({ ...idle, busy: true });
    try {
      const [{ verifiedInWorker }, exported] = await Promise.all([import('../evidence/in-worker.ts'), bundle()]);
      const question = { bundle: exported, trustedKey: gateway.trim() === '' ? undefined : gateway, logKeys: log };
      const progress = (entries: number) => setState({ ...idle, busy: true, entries });
      setState({ ...idle, verified: await verifiedInWorker(question, progress) });
    } catch (cause) {
      setState({ ...idle, fault: faultText(cause) });
    }
  };
  return { ...state, verify };
}

export function TrustedKeys({ of, change }: { readonly of: Keys; readonly change: (keys: Keys) => void }) {
  return (
    <>
      <label for="trusted-key">Trusted public key (PEM), from a source other than this gateway</label>
      <textarea
        id="trusted-key"
        class="code key"
        rows={2}
        spellcheck={false}
        placeholder="-----BEGIN PUBLIC KEY-----"
        value={of.gateway}
        onInput={(event) => change({ ...of, gateway: event.currentTarget.value })}
      />
      <label for="log-keys">Trusted keys of the log and of witnesses, one per line</label>
      <textarea
        id="log-keys"
        class="code key"
        rows={2}
        spellcheck={false}
        placeholder="name+0a1b2c3d+base64"
        value={of.log}
        onInput={(event) => change({ ...of, log: event.currentTarget.value })}
      />
    </>
  );
}

export function Verdict({
  of: { busy, entries, fault, verified },
}: {
  readonly of: Omit<VerificationState, 'verify'>;
}) {
  return (
    <div role="status">
      {busy && <p>Verifying…{entries > 0 && ` ${figure(entries)} entries so far`}</p>}
      {fault !== undefined && <Notice kind="bad">{fault}</Notice>}
      {verified && <Findings {...verified} />}
    </div>
  );
}

function Findings(verification: Verification) {
  const { valid, total_entries, session_manifest_hash, broken_link, checkpoint, log, passkey_votes, not_checked } =
    verification;
  return (
    <>
      {valid ? (
        <Notice kind="good">
          Valid: {figure(total_entries)} {total_entries === 1 ? 'entry' : 'entries'}, verified in this browser.
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
            at entry {checkpoint.index}, <RelativeTime at={checkpoint.created_at} />
          </Fact>
        )}
        {log && (
          <Fact name="Log">
            <Code of={log.origin} />, leaf {log.position} of {log.size}: entries up to {log.index} are logged,{' '}
            <RelativeTime at={log.at} />
          </Fact>
        )}
        {log && (
          <Fact name="Witnesses">
            {log.witnesses.length === 0
              ? 'none known'
              : log.witnesses.map(({ witness, at }) => (
                  <span key={witness}>
                    <Text of={witness} /> saw it <RelativeTime at={at} />.{' '}
                  </span>
                ))}
          </Fact>
        )}
        {passkey_votes !== undefined && (
          <Fact name="Passkeys">
            {passkey_votes} {passkey_votes === 1 ? 'vote is' : 'votes are'} signed with a passkey, and proven
          </Fact>
        )}
        {not_checked.length > 0 && (
          <Fact name="Not proven">
            <Text of={not_checked.join('; ')} />
          </Fact>
        )}
      </Facts>
    </>
  );
}
