/**
 * The edge on this machine: one address for the gateway, the admin surface and MCP, over TLS, HTTP/2 and HTTP/1.1. It
 * sheds load, applies rate limits and circuit breakers, and forwards requests. The upstreams authorise them
 * [edge.listeners].
 */
import type { ServerResponse } from 'node:http';
import { Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Duplex } from 'node:stream';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { resourceHosts } from '#core/mcp/resource-address.ts';
import type { CallOutcome } from '#core/models/routing/breaker.ts';
import { shortenPath } from '#lambdas/middleware/route.ts';
import {
  checkExpectation,
  checkHost,
  checkTransferCoding,
  isOwnHost,
  noTunnel,
} from '../../../bin/local/http-event.ts';
import { errorReply, standardHeaders } from '../../../bin/local/http-reply.ts';
import { edgeTokenHeader } from '../../../bin/local/load-balancer.ts';
import { refuseConnection } from '../../../bin/local/refuse-connection.ts';
import type { LocalEdge, LocalEdgeOptions } from '../../feature.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import { type EdgeTarget, type EdgeUpstream, edgeTarget } from '../routing.ts';
import { section } from '../section.ts';
import { EdgeAdmission } from './admission.ts';
import type { Certificate } from './certificate.ts';
import {
  type EdgeRequest,
  type EdgeResponse,
  type ExchangeOutcome,
  edgeAgent,
  type ForwardedRequest,
  forward,
} from './forward.ts';
import { type Http3, http3TokenHeader, startHttp3 } from './http3.ts';
import { type EdgeListeners, edgeListeners } from './listeners.ts';
import { serveInProcess } from './serve-in-process.ts';
import { forwardUpgrade } from './upgrade.ts';

interface EdgeOptions extends LocalEdgeOptions {
  readonly certificate: Certificate;
  /** See `EdgeListenerOptions`. */
  readonly unreadMs?: number | undefined;
  readonly sessionIdleMs?: number | undefined;
}

const edgeDefaults = section.edge.parse({});

export async function startEdge(options: EdgeOptions): Promise<LocalEdge> {
  const { telemetry, ids } = options;
  let listeners: EdgeListeners | undefined;
  let http3: Http3 | undefined;
  /** Maximum number of connections, updated with each request. */
  let maxConnections = edgeDefaults.max_connections;
  // Identifies the edge's own Caddy.
  const http3Token = ids.randomHex(32);
  const clientOf = (request: EdgeRequest): Client => edgeClient(request, http3Token);
  const altSvc = (request: EdgeRequest): Record<string, string> => {
    const value = clientOf(request).scheme === 'https' ? http3?.advertised() : undefined;
    return value === undefined ? {} : { 'alt-svc': value };
  };
  const admission = new EdgeAdmission({ ...options, connections: () => listeners?.connections() ?? 0 });
  const agent = edgeAgent();
  const origins = new Map(Object.entries(options.upstreams).map(([name, { url }]) => [name, new URL(url)]));

  const answer = async (request: EdgeRequest, response: EdgeResponse): Promise<void> => {
    const id = ids.uuid();
    let upstream = 'none';
    try {
      const { target, origin } = await placed(request);
      upstream = target.upstream;
      const snapshot = await options.snapshot();
      maxConnections = snapshot.configuration.edge.max_connections;
      const settle = admission.enter(target.upstream, request.headers, clientOf(request).address, snapshot);
      const outcome = await traced(request, target, (trace) =>
        passOn(request, response, target.upstream, {
          origin,
          path: target.url,
          headers: onward(request, origin, trace, options.token, clientOf(request)),
          added: altSvc(request),
        }),
      ).catch((fault) => {
        settle('fault');
        throw fault;
      });
      settle(outcomes[outcome.kind]);
      counted(request, upstream, outcome.status);
    } catch (fault) {
      const error = asGatewayError(fault);
      counted(request, upstream, error.kind.status);
      sendRefusal(request, response, error, id, altSvc(request));
    }
  };

  const passOn = (request: EdgeRequest, response: EdgeResponse, upstream: EdgeUpstream, to: ForwardedRequest) => {
    if (request instanceof Http2ServerRequest) return forward(agent, request, response as Http2ServerResponse, to);
    return serveInProcess(options.upstreams[upstream].serve, request, response as ServerResponse, to);
  };

  const upgrade = async (request: EdgeRequest, socket: Duplex, head: Buffer): Promise<void> => {
    socket.on('error', () => socket.destroy());
    try {
      const { target, origin } = await placed(request);
      if (target.upstream !== 'gateway' || request.headers.upgrade?.toLowerCase() !== 'websocket')
        throw new GatewayError(
          'not_found',
          `There is no WebSocket at ${shortenPath(request.url ?? '')}; the edge has one at /api/v1/ws.`,
        );
      const settle = admission.enter(
        target.upstream,
        request.headers,
        clientOf(request).address,
        await options.snapshot(),
      );
      await traced(request, target, async (trace): Promise<ExchangeOutcome> => {
        const status = await forwardUpgrade(socket, head, {
          origin,
          path: target.url,
          headers: onward(request, origin, trace, options.token, clientOf(request)),
        });
        settle(status === 0 ? 'fault' : 'success');
        counted(request, target.upstream, status || 503);
        return { kind: 'answered', status };
      });
    } catch (fault) {
      refuseConnection(socket, asGatewayError(fault), ids.uuid());
    }
  };

  /**
   * Opens the parent span for all subsequent work [trace.caller]. Its path omits the query, which may contain anything.
   */
  const traced = (
    request: EdgeRequest,
    { upstream, url }: EdgeTarget,
    work: (trace: Record<string, string>) => Promise<ExchangeOutcome>,
  ) => {
    const { traceparent, tracestate } = request.headers as Record<string, string | undefined>;
    const attributes = {
      'http.method': request.method ?? 'GET',
      'http.url': (request.url ?? url).split('?')[0]!,
      upstream,
    };
    return telemetry.continued({ traceparent, tracestate }, () =>
      telemetry.span('edge.request', attributes, async (span) => {
        const outcome = await work(telemetry.outgoing());
        span.set({ status_code: outcome.status });
        return outcome;
      }),
    );
  };

  const placed = async (request: EdgeRequest) => {
    if (request.method === 'CONNECT') throw noTunnel();
    const { identity } = (await options.snapshot()).configuration;
    requireOwnHost(request, options.host, resourceHosts(identity));
    checkExpectation(request.headers);
    checkTransferCoding(request.headers);
    const target = edgeTarget(pathOf(request.url ?? '/'));
    const origin = target && origins.get(target.upstream);
    if (!target || !origin)
      throw new GatewayError(
        'not_found',
        `No route matches ${shortenPath(request.url ?? '/')}; the edge serves /api/*, /admin/*, /mcp and /.well-known/oauth-protected-resource.`,
      );
    return { target, origin };
  };

  const counted = (request: EdgeRequest, upstream: string, status: number) =>
    telemetry.count('svc_edge_requests_total', {
      upstream,
      protocol: clientOf(request).protocol,
      status: status === 0 ? 'none' : `${Math.floor(status / 100)}xx`,
    });

  listeners = await edgeListeners({
    ...options,
    answer: (request, response) => void answer(request, response),
    upgrade: (request, socket, head) => void upgrade(request, socket, head),
    most: () => maxConnections,
    changed: (connections) => telemetry.gauge('svc_edge_active_connections', connections),
    ended: (reason) => telemetry.count('svc_edge_connections_ended_total', { reason }),
  });
  const { tlsPort, cleartextPort, drain } = listeners;
  if (options.http3) http3 = await startHttp3({ ...options, ...options.http3, cleartextPort, token: http3Token });
  return {
    tlsPort,
    cleartextPort,
    http3Port: http3?.port,
    drain: async (graceMs = 10_000) => {
      await Promise.all([drain(graceMs), http3?.stop()]);
      admission.stop();
      agent.destroy();
    },
  };
}

const outcomes: Readonly<Record<ExchangeOutcome['kind'], CallOutcome>> = {
  answered: 'success',
  broken: 'fault',
  left: 'nothing',
};

interface Client {
  readonly address: string;
  readonly scheme: 'https' | 'http';
  readonly protocol: 'h1' | 'h2' | 'h3';
}

/** Returns the client of a connection. For the edge's own Caddy, this is the client that Caddy reports. */
function edgeClient({ headers, socket, httpVersionMajor }: EdgeRequest, http3Token: string): Client {
  const address = socket.remoteAddress ?? '';
  if (headers[http3TokenHeader] === http3Token) {
    const named = [headers['x-forwarded-for']].flat().at(-1)?.split(',').at(-1)?.trim();
    return { address: named || address, scheme: 'https', protocol: 'h3' };
  }
  const scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http';
  return { address, scheme, protocol: httpVersionMajor === 2 ? 'h2' : 'h1' };
}

const authorityOf = ({ headers }: EdgeRequest): string => headers[':authority']?.toString() ?? headers.host ?? '';

const onward = (
  request: EdgeRequest,
  { host }: URL,
  trace: Record<string, string>,
  token: string,
  { address, scheme }: Client,
): string[] => [
  ...forwardedHeaders(request.rawHeaders, {
    host,
    trace,
    client: { address, host: authorityOf(request), scheme },
  }),
  edgeTokenHeader,
  token,
];

/** Returns the path. For a URL in absolute form, whose host is checked elsewhere, this is the part after the host. */
const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';

/** Blocks pages that rebind their own name to the gateway's address, as the upstream listeners do. */
function requireOwnHost(request: EdgeRequest, listenHost: string, names: readonly string[]): void {
  if (!('stream' in request)) {
    checkHost(request, listenHost, names);
    return;
  }
  const { host, ':authority': authority = host } = request.headers;
  if (authority === undefined || (host !== undefined && host !== authority))
    throw invalidRequest('Send exactly one authority: ":authority", or "host" with the same value.');
  if (!isOwnHost(String(authority), listenHost, names))
    throw new GatewayError(
      'forbidden',
      "The authority names a host other than this gateway; use the gateway's own address.",
    );
}

function sendRefusal(
  request: EdgeRequest,
  response: EdgeResponse,
  error: GatewayError,
  id: string,
  added: Readonly<Record<string, string>>,
): void {
  if (response.headersSent || response.destroyed) return;
  const { statusCode, headers, body } = errorReply(error);
  const unread = !('stream' in request) && !request.complete && { connection: 'close' };
  const length = { 'content-length': String(Buffer.byteLength(String(body))) };
  (response as ServerResponse).writeHead(statusCode, {
    ...headers,
    ...standardHeaders(id),
    ...added,
    ...unread,
    ...length,
  });
  response.end(request.method === 'HEAD' ? '' : String(body));
}
