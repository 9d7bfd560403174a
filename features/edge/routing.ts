/** Which upstream a path of the edge belongs to, and the path it has there [edge.routing]. */

export type EdgeUpstream = 'gateway' | 'admin' | 'mcp';

export interface EdgeTarget {
  readonly upstream: EdgeUpstream;
  /** Path and query as the upstream knows them. */
  readonly url: string;
}

/** First segment of a path; what follows it, query included. */
const first = /^\/([^/?#]*)(.*)$/s;
/** RFC 9728: what a client of `/mcp` asks the host for. It lies at the root, whatever the path of the resource. */
const resourceMetadata = /^\/\.well-known\/oauth-protected-resource(?:\/mcp)?(?:\?|$)/;
/** A segment `.` or `..`, in clear or encoded: a server that resolves it reads another path than the one that was routed. */
const dots = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/**
 * `/api/*` loses its prefix; `/admin/*`, `/mcp/*` and the metadata of `/mcp` keep theirs. CloudFront routes the same paths: `lib/edge-functions.ts`.
 * @param url path and query as the client sent them; nothing is decoded or normalised, so a path has one meaning only.
 * @returns undefined for every other path, and for one with the segments `.` or `..`.
 */
export function edgeTarget(url: string): EdgeTarget | undefined {
  if (dots.test(url)) return undefined;
  const [, segment, rest = ''] = first.exec(url) ?? [];
  if (segment === 'api') return rest.startsWith('/') ? { upstream: 'gateway', url: rest } : undefined;
  if (segment === 'admin' || segment === 'mcp') return { upstream: segment, url };
  if (resourceMetadata.test(url)) return { upstream: 'mcp', url };
  return undefined;
}
