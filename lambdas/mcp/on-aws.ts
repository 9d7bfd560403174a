/** The MCP surface on AWS. */

import type { StoreOptions } from '#adapters/tables/store.ts';
import { streamInboxes } from '#adapters/tables/stream-inboxes.ts';
import { streamSlots } from '#adapters/tables/stream-slots.ts';
import { withMcpServers } from '../aws-mcp.ts';
import type { GatewayPorts } from '../ports.ts';
import { mcpGateway } from './compose.ts';
import { createHandler } from './http.ts';

/** Composes the MCP gateway. @param composed ports with issuers, because an MCP call may need a credential. */
export function mcpOnAws(composed: GatewayPorts & { readonly store: StoreOptions }) {
  const { ports, gateway } = mcpGateway({
    ...withMcpServers(composed),
    streamSlots: streamSlots({ ...composed, ...composed.store }),
  });
  const inboxes = streamInboxes({ ...composed, ...composed.store });
  return { gateway, ports, handler: createHandler({ ...ports, inboxes }, gateway) };
}
