/** Executors on AWS: programs run in the `sandbox` function, MCP calls on their servers. */
import { awsExecutorClients } from '#adapters/executors/clients.ts';
import { withMcpServers } from './aws-mcp.ts';
import { withExecutors } from './executors.ts';
import { mcpExecution } from './mcp/execution.ts';
import type { GatewayPorts } from './ports.ts';

export const awsExecutors = (ports: GatewayPorts, environment: NodeJS.ProcessEnv): GatewayPorts =>
  withExecutors(
    mcpExecution({ ...withMcpServers(ports), streamSlots: undefined }).ports,
    awsExecutorClients(environment.SANDBOX_FUNCTION),
  );
