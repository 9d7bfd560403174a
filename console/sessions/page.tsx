/** Sessions with evidence; one of them with its risk, its entries, and its verification in the browser [console.sessions]. */
import { useCallback } from 'preact/hooks';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { Code, Heading, Loaded, RelativeTime, Table, Text } from '../ui.tsx';
import { BundleFile } from './bundle-file.tsx';
import { SessionView } from './session-view.tsx';

const everyMs = 10_000;

export function SessionsPage(props: PageProps) {
  return props.id === undefined ? <Sessions {...props} /> : <SessionView key={props.id} {...props} id={props.id} />;
}

function Sessions({ api }: PageProps) {
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'listSessions'>('evidence/sessions?limit=100', signal),
    [api],
  );
  const live = useLive(ask, everyMs);
  return (
    <>
      <Heading>Sessions</Heading>
      <Loaded live={live}>
        {({ sessions, cursor }) =>
          sessions.length === 0 ? (
            <p>There is no session with evidence yet.</p>
          ) : (
            <>
              <Table caption="Sessions with evidence" heads={['Session', 'Entries', 'Kinds', 'Risk', 'Last entry']}>
                {sessions.map((session) => (
                  <tr key={session.session_id}>
                    <td>
                      <a href={hashOf('sessions', session.session_id)}>
                        <Code of={session.session_id} />
                      </a>
                    </td>
                    <td>{session.total_entries}</td>
                    <td>
                      <Text of={kinds(session.counts)} />
                    </td>
                    <td>{session.risk ? session.risk.score : 0}</td>
                    <td>
                      <RelativeTime at={session.updated_at} />
                    </td>
                  </tr>
                ))}
              </Table>
              {cursor !== undefined && <p class="quiet">There are more; agentctl lists them all.</p>}
            </>
          )
        }
      </Loaded>
      <BundleFile />
    </>
  );
}

const kinds = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
