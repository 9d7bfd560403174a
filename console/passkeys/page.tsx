/** Passkeys of the person who is signed in: register one, remove one [console.passkeys]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { type Api, faultText } from '../api.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { Heading, Loaded, Notice, RelativeTime, Table, Text } from '../ui.tsx';
import { make, unfitPage } from './browser.ts';

export function PasskeysPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listPasskeys'>('passkeys', signal), [api]);
  const live = useLive(ask, 0);
  return (
    <>
      <Heading>Passkeys</Heading>
      <p>A passkey signs your approvals on your device. Some rules take no approval without one.</p>
      <Loaded live={live}>{(answer) => <Own answer={answer} api={api} changed={live.refresh} />}</Loaded>
    </>
  );
}

interface OwnProps {
  readonly answer: AnswerOf<'listPasskeys'>;
  readonly api: Api;
  readonly changed: () => void;
}

function Own({ answer: { rp, passkeys, most }, api, changed }: OwnProps) {
  const [said, setSaid] = useState<{ readonly kind: 'good' | 'bad'; readonly text: string } | undefined>();
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const unfit = unfitPage(rp);
  const work = async (done: string, act: () => Promise<unknown>) => {
    setBusy(true);
    setSaid(undefined);
    try {
      await act();
      setSaid({ kind: 'good', text: done });
      changed();
    } catch (cause) {
      setSaid({ kind: 'bad', text: faultText(cause) });
    }
    setBusy(false);
  };
  const register = (event: Event) => {
    event.preventDefault();
    work('The passkey is registered.', async () => {
      const wanted = await api.post<'passkeyChallenge'>('passkeys/challenge', {});
      const known = passkeys.map(({ credential_id }) => credential_id);
      await api.post<'registerPasskey'>('passkeys', await make(wanted, name.trim(), known));
      setName('');
    });
  };
  return (
    <>
      <div role="status">{said && <Notice kind={said.kind}>{said.text}</Notice>}</div>
      {passkeys.length === 0 ? (
        <p>You have no passkey.</p>
      ) : (
        <Table caption="Your passkeys" heads={['Name', 'Registered', 'Remove']}>
          {passkeys.map((passkey) => (
            <tr key={passkey.credential_id}>
              <td>
                <Text of={passkey.name} />
              </td>
              <td>
                <RelativeTime at={passkey.registered_at} />
              </td>
              <td>
                <button
                  type="button"
                  disabled={busy}
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() =>
                    work('The passkey is removed.', () =>
                      api.remove(`passkeys/${encodeURIComponent(passkey.credential_id)}`),
                    )
                  }
                >
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {unfit !== undefined ? (
        <Notice kind="warn">{unfit}</Notice>
      ) : passkeys.length >= most ? (
        <Notice kind="info">You have {most} passkeys, the most allowed. Remove one to register another.</Notice>
      ) : (
        <form onSubmit={register}>
          <label for="passkey-name">Name of the new passkey</label>
          <input
            id="passkey-name"
            required
            maxLength={100}
            autoComplete="off"
            placeholder="laptop"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="good" disabled={busy}>
            Register
          </button>
        </form>
      )}
    </>
  );
}
