/** All handlers by function name, for hosts other than Lambda. */

import type { FunctionName } from '#core/contracts/functions.ts';
import type { McpPorts } from '#core/mcp/ports.ts';
import { features } from '#features/features.ts';
import { createHandler as alerts } from './alerts/event.ts';
import { createHandler as approvalCallback } from './approval-callback/http.ts';
import { createHandler as approvalSteps } from './approval-steps/event.ts';
import { createHandler as approvals } from './approvals/http.ts';
import { createHandler as archiveCheck } from './archive-check/event.ts';
import { createHandler as chatCompletions } from './chat-completions/http.ts';
import { createHandler as countTokens } from './count-tokens/http.ts';
import type { mcpGateway } from './mcp/compose.ts';
import { createHandler as mcp } from './mcp/http.ts';
import { createHandler as messages } from './messages/http.ts';
import type { ChatEndpointPorts } from './middleware/chat-endpoint.ts';
import { httpEndpoint } from './middleware/http-endpoint.ts';
import type { AdmissionPorts } from './middleware/identify.ts';
import { createHandler as notify } from './notify/event.ts';
import { createHandler as policies } from './policies/http.ts';
import type { GatewayPorts } from './ports.ts';
import { createHandler as sweep } from './sweep/event.ts';

/** Functions of features. Those without endpoints have a handler here that no route leads to. */
const ofFeatures = features.flatMap(({ functions = {} }) => Object.keys(functions) as FunctionName[]);

export const httpHandlers = (ports: GatewayPorts) => ({
  ...Object.fromEntries(ofFeatures.map((name) => [name, httpEndpoint(name, ports)])),
  'test-action': httpEndpoint('test-action', ports),
  approvals: approvals(ports),
  'approval-callback': approvalCallback(ports),
  evidence: httpEndpoint('evidence', ports),
  archive: httpEndpoint('archive', ports),
  policies: policies(ports),
  credentials: httpEndpoint('credentials', ports),
  observatory: httpEndpoint('observatory', ports),
});

/** Returns the gateway surface's handlers. */
export const chatHandlers = (ports: GatewayPorts & ChatEndpointPorts) => ({
  'chat-completions': chatCompletions(ports),
  messages: messages(ports),
  'count-tokens': countTokens(ports),
  models: httpEndpoint('models', ports),
});

type McpHandlerPorts = Pick<ReturnType<typeof mcpGateway<McpPorts & AdmissionPorts>>, 'ports' | 'gateway'>;

/** Returns the MCP surface's handlers, over a gateway composed by `mcpGateway`. */
export const mcpHandlers = ({ ports, gateway }: McpHandlerPorts) => ({
  mcp: mcp({ ...ports, inboxes: undefined }, gateway),
});

export const eventHandlers = (ports: GatewayPorts) => ({
  'approval-steps': approvalSteps(ports),
  sweep: sweep(ports),
  alerts: alerts(ports),
  notify: notify(ports),
  'archive-check': archiveCheck(ports),
});
