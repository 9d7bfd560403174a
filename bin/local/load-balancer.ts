/** A load balancer between callers and a listener: what the listener believes of what it adds. */
import type { IncomingMessage } from 'node:http';

export interface LoadBalancer {
  /** Names under which callers reach it, in lower case: `Host` carries one of them. */
  readonly hosts: readonly string[];
  /** Callers reach it by HTTPS. */
  readonly tls: boolean;
  /** Idle connections are kept longer than the load balancer keeps them: else it sends a request into a closing one. */
  readonly keepAliveMs: number;
}

/**
 * The caller's address [plane.caller-address]. A load balancer appends the address it sees to `X-Forwarded-For`: what stands before
 * the last comma is the caller's word.
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

/** The edge of this process says so by a token that no client knows; what a client sends under the name is dropped there. */
export const edgeTokenHeader = 'x-gateway-edge';

export const isFromEdge = ({ headers }: IncomingMessage, token: string | undefined): boolean =>
  token !== undefined && headers[edgeTokenHeader] === token;
