/** A load balancer between callers and a listener: the headers of it that the listener trusts. */
import type { IncomingMessage } from 'node:http';

export interface LoadBalancer {
  /** Names under which callers reach it, in lower case: `Host` contains one of them. */
  readonly hosts: readonly string[];
  /** Whether callers reach it by HTTPS. */
  readonly tls: boolean;
  /**
   * Idle time of connections, longer than the load balancer's: otherwise it could send a request into a closing one.
   */
  readonly keepAliveMs: number;
}

/**
 * Returns the caller's address [plane.same-handlers]. A load balancer appends the address it sees to
 * `X-Forwarded-For`: the part before the last comma is the caller's claim.
 */
export function addressOf(
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
 * Header with the token of the edge of this process, which no client knows. The edge drops a client's header of this
 * name.
 */
export const edgeTokenHeader = 'x-gateway-edge';

export const isFromEdge = ({ headers }: IncomingMessage, token: string | undefined): boolean =>
  token !== undefined && headers[edgeTokenHeader] === token;
