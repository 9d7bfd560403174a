/** Adds the MCP executor to the ports of functions without MCP clients. */
import type { McpPorts } from '#core/mcp/ports.ts';
import { Conversations } from '#core/mcp/sessions/conversations.ts';
import { mcpExecutor } from '#core/mcp/tools/executor.ts';

export function mcpExecution<P extends McpPorts>(given: P) {
  const conversations = new Conversations(given);
  const executors: P['executors'] = (snapshot) => [
    ...given.executors(snapshot),
    mcpExecutor(given, conversations, snapshot),
  ];
  const ports: P = { ...given, executors };
  return { ports, conversations };
}
