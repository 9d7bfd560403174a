/** MCP ports on AWS, where servers are reached only over HTTP. */
import { mcpUpstreams } from '#adapters/mcp/upstreams.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { ClassifierPorts } from '#core/guard/classifier/ports.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { GatewayPorts } from './ports.ts';

export function withMcpServers<P extends GatewayPorts>(ports: P) {
  const { secrets, telemetry, pause } = ports;
  const upstreams = mcpUpstreams({ secrets, pause, telemetry, outgoing: () => telemetry.outgoing() });
  // Only functions with a classifier load threads and provider clients.
  const kept = lazyImport(async () => (await import('./aws-classifiers.ts')).awsClassifiers(ports));
  const classifiers = async (): Promise<ClassifierPorts> => kept();
  return { ...ports, timeouts: systemTimeouts, upstreams, classifiers };
}
