/** All handlers by function name, for hosts other than Lambda. */

import type { McpPorts } from '#core/mcp/ports.ts';
import { createHandler as alerts } from './alerts/event.ts';
import { createHandler as approvalCallback } from './approval-callback/http.ts';
import { createHandler as approvalSteps } from './approval-steps/event.ts';
import { createHandler as approvals } from './approvals/http.ts';
import { createHandler as archive } from './archive/http.ts';
import { createHandler as archiveCheck } from './archive-check/event.ts';
import { createHandler as chatCompletions } from './chat-completions/http.ts';
import { createHandler as countTokens } from './count-tokens/http.ts';
import { createHandler as credentials } from './credentials/http.ts';
import { createHandler as evidence } from './evidence/http.ts';
import { createHandler as federation } from './federation/http.ts';
import { createHandler as federationPoll } from './federation-poll/event.ts';
import type { mcpGateway } from './mcp/compose.ts';
import { createHandler as mcp } from './mcp/http.ts';
import { createHandler as messages } from './messages/http.ts';
import type { ChatEndpointPorts } from './middleware/chat-endpoint.ts';
import type { AdmissionPorts } from './middleware/identify.ts';
import { createHandler as models } from './models/http.ts';
import { createHandler as notify } from './notify/event.ts';
import { createHandler as observatory } from './observatory/http.ts';
import { createHandler as policies } from './policies/http.ts';
import type { GatewayPorts } from './ports.ts';
import { createHandler as sweep } from './sweep/event.ts';
import { createHandler as testAction } from './test-action/http.ts';

export const httpHandlers = (ports: GatewayPorts) => ({
  'test-action': testAction(ports),
  approvals: approvals(ports),
  'approval-callback': approvalCallback(ports),
  evidence: evidence(ports),
  archive: archive(ports),
  policies: policies(ports),
  credentials: credentials(ports),
  federation: federation(ports),
  observatory: observatory(ports),
});

/** Returns the handlers of the gateway surface. */
export const chatHandlers = (ports: GatewayPorts & ChatEndpointPorts) => ({
  'chat-completions': chatCompletions(ports),
  messages: messages(ports),
  'count-tokens': countTokens(ports),
  models: models(ports),
});

type McpHandlerPorts = Pick<ReturnType<typeof mcpGateway<McpPorts & AdmissionPorts>>, 'ports' | 'gateway'>;

/** Returns the handler of the MCP surface, over a gateway composed by `mcpGateway`. */
export const mcpHandlers = ({ ports, gateway }: McpHandlerPorts) => ({
  mcp: mcp({ ...ports, inboxes: undefined }, gateway),
});

export const eventHandlers = (ports: GatewayPorts) => ({
  'federation-poll': federationPoll(ports),
  'approval-steps': approvalSteps(ports),
  sweep: sweep(ports),
  alerts: alerts(ports),
  notify: notify(ports),
  'archive-check': archiveCheck(ports),
});
