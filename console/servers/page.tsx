/** MCP servers and HTTP services that calls are sent to, with their state and their tools [console.servers]. */
import { useCallback } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { RelativeTime } from '../design/values.tsx';
import type { Status } from '../health/words.ts';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';

const everyMs = 10_000;

type Tool = AnswerOf<'listMcpTools'>['tools'][number];

interface Server {
  readonly dependency: Status['dependencies'][number];
  readonly tools: readonly Tool[];
}

export function ServersPage({ api }: PageProps) {
  const ask = useCallback(
    async (signal: AbortSignal): Promise<readonly Server[]> => {
      const [{ dependencies }, { tools }] = await Promise.all([
        api.get<'status'>('health/detailed', signal),
        api.get<'listMcpTools'>('mcp/tools', signal),
      ]);
      return dependencies
        .filter(({ kind }) => kind === 'mcp_server' || kind === 'http_service')
        .map((dependency) => ({ dependency, tools: tools.filter(({ upstream }) => upstream === dependency.name) }));
    },
    [api],
  );
  return (
    <>
      <Heading lead="MCP servers and HTTP services that the gateway sends calls to.">Servers</Heading>
      <Loaded live={useLive(ask, everyMs)}>
        {(servers) =>
          servers.length === 0 ? (
            <EmptyState icon="server" title="No servers" example={<pre>{example}</pre>}>
              The gateway calls tools of MCP servers on behalf of agents, and makes a policy decision on each call. Add
              one to the configuration:
            </EmptyState>
          ) : (
            <Table caption="Servers" columns={columns} rows={servers} keyOf={({ dependency }) => dependency.name} />
          )
        }
      </Loaded>
    </>
  );
}

const example = `upstreams:
  mcp:
    - { name: github, url: "https://mcp.example.com/mcp", token_env: GITHUB_MCP_TOKEN }`;

const columns: readonly Column<Server>[] = [
  { head: 'Server', cell: ({ dependency }) => <Text of={dependency.name} /> },
  {
    head: 'Kind',
    priority: 3,
    cell: ({ dependency }) => (dependency.kind === 'mcp_server' ? 'MCP server' : 'HTTP service'),
  },
  { head: 'State', cell: ({ dependency }) => <Badge of={dependency.state} /> },
  {
    head: 'Reason',
    priority: 2,
    wide: true,
    cell: ({ dependency: { reason, since } }) => (
      <>
        {reason && <Text of={reason} />}{' '}
        <span class="quiet">
          since <RelativeTime at={since} />
        </span>
      </>
    ),
  },
  {
    head: 'Tools',
    number: true,
    cell: ({ tools }) => (tools.length === 0 ? '–' : <a href={hashOf('tools')}>{tools.length}</a>),
  },
  {
    head: 'To review',
    number: true,
    priority: 2,
    cell: ({ tools }) => {
      const waiting = tools.filter(({ state }) => state !== 'accepted').length;
      return waiting === 0 ? '–' : <Badge of={String(waiting)} tone="warn" />;
    },
  },
  {
    head: 'p95',
    number: true,
    priority: 3,
    cell: ({ dependency: { latency_ms } }) => (latency_ms === undefined ? '–' : `${Math.round(latency_ms)} ms`),
  },
];
