/** A load balancer between callers and a listener, and the headers from it that the listener trusts. */
import type { IncomingMessage } from 'node:http';

export interface LoadBalancer {
  /** Names under which callers reach it, in lower case: `Host` contains one of them. */
  readonly hosts: readonly string[];
  /** Whether callers reach it over HTTPS. */
  readonly tls: boolean;
  /**
   * Idle time of connections, longer than the load balancer's: otherwise the load balancer could send a request on a
   * connection that is being closed.
   */
  readonly keepAliveMs: number;
}

/**
 * Returns the caller's address [plane.same-handlers]. A load balancer appends the address it sees to `X-Forwarded-For`;
 * the part before the last comma comes from the caller and is not trusted.
 */
export function callerAddress(
  request: IncomingMessage,
  loadBalancer: LoadBalancer | undefined,
  edgeToken?: string,
): string {
  const peer = request.socket.remoteAddress ?? '';
  if (!loadBalancer && !isFromEdge(request, edgeToken)) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  return [forwarded].flat().at(-1)?.split(',').at(-1)?.trim() || peer;
}

/**
 * Header with the token of this process's edge, which clients do not know. The edge drops a client's header with this
 * name.
 */
export const edgeTokenHeader = 'x-gateway-edge';

export const isFromEdge = ({ headers }: IncomingMessage, token: string | undefined): boolean =>
  token !== undefined && headers[edgeTokenHeader] === token;
