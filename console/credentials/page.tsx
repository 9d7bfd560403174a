/**
 * Active credentials, newest first; each can be revoked [console.credentials]. Pages never receive credential values.
 */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { faultText } from '../api.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Code, IdLink, Text } from '../design/text.tsx';
import { toast } from '../design/toast.tsx';
import { RelativeTime } from '../design/values.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { duration } from '../words.ts';

const everyMs = 10_000;

type Credential = AnswerOf<'listCredentials'>['credentials'][number];

export function CredentialsPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listCredentials'>('credentials?limit=100', signal), [api]);
  const live = useLive(ask, everyMs);
  const revoke = async (id: string) => {
    await api
      .post<'revokeCredential'>(`credentials/${encodeURIComponent(id)}/revoke`, {})
      .then(() => toast('good', `Credential ${id} is revoked.`))
      .catch((cause) => toast('bad', faultText(cause)));
    live.refresh();
  };
  return (
    <>
      <Heading lead="Short-lived credentials that the gateway issued for allowed calls. Their values are never shown.">
        Credentials
      </Heading>
      <Loaded live={live}>
        {({ credentials, cursor }) =>
          credentials.length === 0 ? (
            <EmptyState icon="credential" title="No active credentials" example={<pre>{example}</pre>}>
              An allowed call gets a credential that is scoped to it and expires. This call would:
            </EmptyState>
          ) : (
            <>
              <Table
                caption="Active credentials"
                columns={columnsOf(revoke)}
                rows={credentials}
                keyOf={({ id }) => id}
              />
              {cursor !== undefined && (
                <p class="quiet">
                  There are more. <code>agentctl credentials</code> lists them all.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

const example = 'agentctl test-action --protocol git --tool scm.get_file_contents --target acme/web --capability read';

const columnsOf = (revoke: (id: string) => void): readonly Column<Credential>[] => [
  {
    head: 'Scope',
    wide: true,
    cell: ({ scope, degraded }) => (
      <>
        <Code of={scope} /> {degraded && <Badge of="degraded" />}
      </>
    ),
  },
  { head: 'Broker', cell: ({ broker, type }) => <Text of={`${broker} (${type})`} />, priority: 3 },
  {
    head: 'Session',
    priority: 2,
    wide: true,
    cell: ({ session_id }) => <IdLink href={hashOf('sessions', session_id)} id={session_id} />,
  },
  { head: 'Issued', cell: ({ issued_at }) => <RelativeTime at={issued_at} />, priority: 2 },
  {
    head: 'Expires in',
    number: true,
    cell: ({ expires_at }) => duration((Date.parse(expires_at) - Date.now()) / 1000),
  },
  {
    head: 'Revoke',
    unseen: true,
    number: true,
    cell: ({ id }) => (
      <Button small aria-label={`Revoke ${id}`} onClick={() => revoke(id)}>
        Revoke
      </Button>
    ),
  },
];
