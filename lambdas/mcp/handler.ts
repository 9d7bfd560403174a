import type { StoreOptions } from '#adapters/aws/evidence-table.ts';
import { mcpUpstreams } from '#adapters/mcp/upstreams.ts';
import { chatHandler } from '../aws-chat.ts';
import type { ChatDoorPorts } from '../middleware/chat-door.ts';
import type { GatewayPorts } from '../ports.ts';
import { mcpGateway } from './compose.ts';
import { door } from './door.ts';

/** What a streaming function composes holds every port of the gateway; doors of chats are told of theirs only. */
type Composed = ChatDoorPorts & GatewayPorts & { readonly store: StoreOptions };

export const handler = chatHandler((composed) => {
  const gateway = composed as Composed;
  const { secrets, telemetry, pause } = gateway;
  const upstreams = mcpUpstreams({ secrets, pause, outgoing: () => telemetry.outgoing() });
  const mcp = mcpGateway({ ...gateway, upstreams });
  return door(mcp.ports, mcp.gateway);
});
