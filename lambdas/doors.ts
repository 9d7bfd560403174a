/** Every function's door by name: what hosts other than Lambda mount. */

import type { McpPorts } from '#core/mcp/ports.ts';
import { door as approvalCallback } from './approval-callback/door.ts';
import { door as approvalSteps } from './approval-steps/door.ts';
import { door as approvals } from './approvals/door.ts';
import { door as archive } from './archive/door.ts';
import { door as archiveCheck } from './archive-check/door.ts';
import { door as chatCompletions } from './chat-completions/door.ts';
import { door as countTokens } from './count-tokens/door.ts';
import { door as credentials } from './credentials/door.ts';
import { door as evidence } from './evidence/door.ts';
import type { mcpGateway } from './mcp/compose.ts';
import { door as mcp } from './mcp/door.ts';
import { door as messages } from './messages/door.ts';
import type { ChatDoorPorts } from './middleware/chat-door.ts';
import type { AdmissionPorts } from './middleware/identify.ts';
import { door as models } from './models/door.ts';
import { door as notify } from './notify/door.ts';
import { door as observatory } from './observatory/door.ts';
import { door as policies } from './policies/door.ts';
import type { GatewayPorts } from './ports.ts';
import { door as sweep } from './sweep/door.ts';
import { door as testAction } from './test-action/door.ts';

export const httpDoors = (ports: GatewayPorts) => ({
  'test-action': testAction(ports),
  approvals: approvals(ports),
  'approval-callback': approvalCallback(ports),
  evidence: evidence(ports),
  archive: archive(ports),
  policies: policies(ports),
  credentials: credentials(ports),
  observatory: observatory(ports),
});

/** The doors of the gateway surface. */
export const chatDoors = (ports: GatewayPorts & ChatDoorPorts) => ({
  'chat-completions': chatCompletions(ports),
  messages: messages(ports),
  'count-tokens': countTokens(ports),
  models: models(ports),
});

type McpDoorPorts = Pick<ReturnType<typeof mcpGateway<McpPorts & AdmissionPorts>>, 'ports' | 'gateway'>;

/** The door of the MCP surface over a gateway that was composed for it (`mcpGateway`). */
export const mcpDoors = ({ ports, gateway }: McpDoorPorts) => ({
  mcp: mcp(ports, gateway),
});

export const eventDoors = (ports: GatewayPorts) => ({
  'approval-steps': approvalSteps(ports),
  sweep: sweep(ports),
  notify: notify(ports),
  'archive-check': archiveCheck(ports),
});
