/** What MCP needs on AWS: servers are met over HTTP only. */
import { mcpUpstreams } from '#adapters/mcp/upstreams.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { GatewayPorts } from './ports.ts';

export function withMcpServers<P extends GatewayPorts>(ports: P) {
  const { secrets, telemetry, pause } = ports;
  const upstreams = mcpUpstreams({ secrets, pause, outgoing: () => telemetry.outgoing() });
  return { ...ports, timeouts: systemTimeouts, upstreams };
}
