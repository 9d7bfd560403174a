/** Credentials that are still good, newest first; each can be revoked [console.credentials]. No page ever sees a value. */
import { useCallback, useState } from 'preact/hooks';
import { faultText } from '../api.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { Badge, Code, Heading, Loaded, Notice, RelativeTime, Table, Text } from '../ui.tsx';
import { duration } from '../words.ts';

const everyMs = 10_000;

export function CredentialsPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listCredentials'>('credentials?limit=100', signal), [api]);
  const live = useLive(ask, everyMs);
  const [said, setSaid] = useState<{ readonly kind: 'good' | 'bad'; readonly text: string } | undefined>();
  const revoke = async (id: string) => {
    await api
      .post<'revokeCredential'>(`credentials/${encodeURIComponent(id)}/revoke`, {})
      .then(() => setSaid({ kind: 'good', text: `Credential ${id} is revoked.` }))
      .catch((cause) => setSaid({ kind: 'bad', text: faultText(cause) }));
    live.refresh();
  };
  return (
    <>
      <Heading>Credentials</Heading>
      <div role="status">{said && <Notice kind={said.kind}>{said.text}</Notice>}</div>
      <Loaded live={live}>
        {({ credentials, cursor }) =>
          credentials.length === 0 ? (
            <p>No credential is good at the moment.</p>
          ) : (
            <>
              <Table
                caption="Active credentials"
                heads={['Issued', 'Broker', 'Scope', 'Good for', 'Session', 'Revoke']}
              >
                {credentials.map((credential) => (
                  <tr key={credential.id}>
                    <td>
                      <RelativeTime at={credential.issued_at} />
                    </td>
                    <td>
                      <Text of={credential.broker} /> ({credential.type})
                      {credential.degraded && <Badge of="degraded" />}
                    </td>
                    <td>
                      <Code of={credential.scope} />
                    </td>
                    <td>{duration((Date.parse(credential.expires_at) - Date.now()) / 1000)}</td>
                    <td>
                      <a href={hashOf('sessions', credential.session_id)}>
                        <Code of={credential.session_id} />
                      </a>
                    </td>
                    <td>
                      <button
                        type="button"
                        aria-label={`Revoke ${credential.id}`}
                        onClick={() => revoke(credential.id)}
                      >
                        Revoke
                      </button>
                    </td>
                  </tr>
                ))}
              </Table>
              {cursor !== undefined && <p class="quiet">There are more; agentctl lists them all.</p>}
            </>
          )
        }
      </Loaded>
    </>
  );
}
