/** Where MCP clients reach the endpoint by the configuration: `identity.mcp_resource`, never the Host of a request [mcp.resource-metadata]. */
import type { Configuration } from '#core/contracts/config.ts';

/** Returns what precedes `/mcp` in the configured resource; undefined without one. */
export function resourceBase({ mcp_resource }: Configuration['identity']): string | undefined {
  if (mcp_resource === undefined) return undefined;
  const { origin, pathname } = new URL(mcp_resource);
  return origin + pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
}

/** Names in Host under which a proxy passes requests on to the listener. */
export const resourceHosts = ({ mcp_resource }: Configuration['identity']): readonly string[] =>
  mcp_resource === undefined ? [] : [new URL(mcp_resource).hostname.replace(/^\[|\]$/g, '')];
