/** API keys of the tenant. Pages never receive the keys themselves [console.keys]. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';

type Identities = AnswerOf<'listIdentities'>;

export function KeysPage({ api }: PageProps) {
  const ask = useCallback((signal: AbortSignal) => api.get<'listIdentities'>('identity/identities', signal), [api]);
  return (
    <>
      <Heading lead="Who may call the gateway: keys of agents, services and people. The keys themselves are never shown.">
        Keys
      </Heading>
      <Loaded live={useLive(ask, 60_000)}>
        {({ keys }) =>
          keys.length === 0 ? (
            <EmptyState icon="key" title="No keys" example={<pre>{example}</pre>}>
              A key identifies the caller and sets what the caller may do. The configuration names its variable or its
              SHA-256:
            </EmptyState>
          ) : (
            <Table caption="Keys" columns={keyColumns} rows={keys} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </>
  );
}

const example = `tenants:
  - id: default
    api_keys:
      - { key_env: RELEASE_BOT_KEY, name: release-bot, kind: agent }`;

const keyColumns: readonly Column<Identities['keys'][number]>[] = [
  { head: 'Name', cell: ({ name }) => <Text of={name} /> },
  { head: 'Kind', cell: ({ kind }) => <Badge of={kind} tone={kind === 'human' ? 'info' : 'neutral'} /> },
  { head: 'Role', cell: ({ role }) => role },
  {
    head: 'Person or owner',
    priority: 2,
    cell: ({ person, owner }) => <Text of={person ?? owner ?? '–'} />,
  },
  { head: 'Id', cell: ({ id }) => <Code of={id} />, priority: 3 },
];
