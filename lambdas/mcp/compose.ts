/** Composes the MCP gateway. Its clients and its executor share one set of server conversations. */
import { McpGateway } from '#core/mcp/gateway.ts';
import type { McpPorts } from '#core/mcp/ports.ts';
import { mcpExecution } from './execution.ts';

export function mcpGateway<P extends McpPorts>(given: P) {
  const { ports, conversations } = mcpExecution(given);
  return { ports, gateway: new McpGateway(ports, conversations) };
}
