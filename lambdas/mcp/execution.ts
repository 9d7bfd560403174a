/** GovernedAction calls to MCP servers: the ports with their executor, for functions that serve no MCP clients. */
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { McpPorts } from '#core/mcp/ports.ts';
import { Conversations } from '#core/mcp/sessions/conversations.ts';
import { mcpExecutor } from '#core/mcp/tools/executor.ts';

export function mcpExecution<P extends McpPorts>(given: P) {
  const conversations = new Conversations(given);
  const executor = mcpExecutor(given, conversations);
  // The configuration is read before a call is governed: the executor knows the servers of that version.
  const snapshots: Snapshots = {
    ...given.snapshots,
    current: async (how) => {
      const snapshot = await given.snapshots.current(how);
      executor.know(snapshot);
      return snapshot;
    },
  };
  const ports: P = { ...given, snapshots, executors: [...given.executors, executor] };
  return { ports, conversations };
}
