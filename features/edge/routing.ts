/** Maps a path on the edge to an upstream and the path there [edge.listeners]. */

export type EdgeUpstream = 'gateway' | 'admin' | 'mcp';

export interface EdgeTarget {
  readonly upstream: EdgeUpstream;
  /** Path and query at the upstream. */
  readonly url: string;
}

/** Splits a path into its first segment, and the rest with the query. */
const first = /^\/([^/?#]*)(.*)$/s;
/**
 * Matches the metadata that clients of `/mcp` request (RFC 9728). It is located at the root, regardless of the
 * resource's path.
 */
const resourceMetadata = /^\/\.well-known\/oauth-protected-resource(?:\/mcp)?(?:\?|$)/;
/**
 * Matches a `.` or `..` segment, plain or encoded. A server that resolves it would serve a different path than the one
 * that was routed.
 */
const dots = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/**
 * Returns the target of a path. `/api/*` loses its prefix, while `/admin/*`, `/mcp/*` and the metadata for `/mcp` keep
 * theirs. CloudFront routes the same paths: `lib/edge-functions.ts`.
 * @param url path and query from the client. They are not decoded or normalised, so that a path has only one meaning.
 * @returns undefined for every other path, and for a path with a `.` or `..` segment.
 */
export function edgeTarget(url: string): EdgeTarget | undefined {
  if (dots.test(url)) return undefined;
  const [, segment, rest = ''] = first.exec(url) ?? [];
  if (segment === 'api') return rest.startsWith('/') ? { upstream: 'gateway', url: rest } : undefined;
  if (segment === 'admin' || segment === 'mcp') return { upstream: segment, url };
  if (resourceMetadata.test(url)) return { upstream: 'mcp', url };
  return undefined;
}
