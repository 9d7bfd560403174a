/**
 * Warnings about loosened containment of `shell` programs and stdio MCP servers; `status` shows them while they apply.
 */
import type { Configuration } from '#core/contracts/config.ts';

export function containmentWarnings({
  executors,
  upstreams,
}: Pick<Configuration, 'executors' | 'upstreams'>): string[] {
  const open = upstreams.mcp.filter(({ transport, contained }) => transport === 'stdio' && !contained);
  return [
    ...shellWarnings(executors),
    ...open.map(
      ({ name }) =>
        `upstreams.mcp ${name}: contained is false: the server runs with all rights of the gateway and can read its keys and store.`,
    ),
  ];
}

function shellWarnings({ shell }: Configuration['executors']): string[] {
  if (!shell.enabled) return [];
  if (!shell.contained)
    return [
      'executors.shell.contained is false: programs run with all rights of the gateway and can read its keys and store.',
    ];
  return shell.network
    ? ['executors.shell.network is true: programs can reach the network, including ports of this machine.']
    : [];
}
