/**
 * The configured address of the endpoint: `identity.mcp_resource`, never a request's Host header [identity.oidc-mcp].
 */
import type { Configuration } from '#core/contracts/config.ts';

/** Returns the part of the configured resource before `/mcp`, or undefined if no resource is configured. */
export function resourceBase({ mcp_resource }: Configuration['identity']): string | undefined {
  if (mcp_resource === undefined) return undefined;
  const { origin, pathname } = new URL(mcp_resource);
  return origin + pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
}

/** Returns the host names under which a proxy may forward requests. */
export const resourceHosts = ({ mcp_resource }: Configuration['identity']): readonly string[] =>
  mcp_resource === undefined ? [] : [new URL(mcp_resource).hostname.replace(/^\[|\]$/g, '')];
