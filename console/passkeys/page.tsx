/** Passkeys of the signed-in person, to register or remove [console.passkeys]. */
import { useCallback, useState } from 'preact/hooks';
import { type Api, faultText } from '../api.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Card, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded, Notice } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { type CreationOptions, make, type OwnPasskeys, unfitPage } from './browser.ts';

export function PasskeysPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.ofFeature<OwnPasskeys>('passkeys', signal), [api]);
  const live = useLive(ask, 0);
  return (
    <>
      <Heading lead="A passkey signs your approvals on your device. Some rules require one.">Passkeys</Heading>
      <Loaded live={live}>{(answer) => <OwnPasskeysList answer={answer} api={api} changed={live.refresh} />}</Loaded>
    </>
  );
}

interface OwnProps {
  readonly answer: OwnPasskeys;
  readonly api: Api;
  readonly changed: () => void;
}

function OwnPasskeysList({ answer: { rp, passkeys, most }, api, changed }: OwnProps) {
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
      const wanted = await api.postToFeature<CreationOptions>('passkeys/challenge', {});
      const known = passkeys.map(({ credential_id }) => credential_id);
      await api.postToFeature('passkeys', await make(wanted, name.trim(), known));
      setName('');
    });
  };
  const columns: readonly Column<(typeof passkeys)[number]>[] = [
    { head: 'Name', cell: (passkey) => <Text of={passkey.name} />, wide: true },
    { head: 'Registered', cell: ({ registered_at }) => <RelativeTime at={registered_at} /> },
    {
      head: 'Remove',
      unseen: true,
      number: true,
      cell: (passkey) => (
        <Button
          small
          disabled={busy}
          aria-label={`Remove ${passkey.name}`}
          onClick={() =>
            work('The passkey is removed.', () => api.remove(`passkeys/${encodeURIComponent(passkey.credential_id)}`))
          }
        >
          Remove
        </Button>
      ),
    },
  ];
  return (
    <>
      <div role="status">{said && <Notice kind={said.kind}>{said.text}</Notice>}</div>
      {passkeys.length === 0 ? (
        <EmptyState icon="passkey" title="You have no passkey.">
          Register one to sign your approvals with your fingerprint, face or device PIN.
        </EmptyState>
      ) : (
        <Table caption="Your passkeys" columns={columns} rows={passkeys} keyOf={({ credential_id }) => credential_id} />
      )}
      {unfit !== undefined ? (
        <Notice kind="warn">
          {unfit}{' '}
          {location.origin !== rp.origin && <a href={`${rp.origin}/console/${hashOf('passkeys')}`}>Open it there</a>}
        </Notice>
      ) : passkeys.length >= most ? (
        <Notice kind="info">You have {most} passkeys, the most allowed. Remove one to register another.</Notice>
      ) : (
        <Card title="Register a passkey" icon="plus">
          <form onSubmit={register}>
            <Field label="Name of the new passkey">
              {(tied) => (
                <input
                  {...tied}
                  required
                  maxLength={100}
                  autoComplete="off"
                  placeholder="laptop"
                  value={name}
                  onInput={(event) => setName(event.currentTarget.value)}
                />
              )}
            </Field>
            <Button type="submit" tone="primary" disabled={busy}>
              Register
            </Button>
          </form>
        </Card>
      )}
    </>
  );
}
