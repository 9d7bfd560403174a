/**
 * One listener of the local run, in the role of API Gateway. Hostile bytes are either rejected here with a typed error
 * or converted to the event that handlers take.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { http } from '#adapters/system/node-http.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { OpenItems } from '#core/kernel/open-items.ts';
import type { Ids, Telemetry } from '#core/kernel/ports.ts';
import { CallerShares } from '#core/limits/caller-shares.ts';
import type { BodyAdmission } from '#lambdas/middleware/before-body.ts';
import { withBytes } from '#lambdas/middleware/body.ts';
import { createRouter } from '#lambdas/middleware/router.ts';
import { bindPort } from './bind-port.ts';
import { Connections } from './connections.ts';
import type { Pages } from './console.ts';
import { declaredTooLarge, discardBody, hasBody, readBody, tooLarge } from './http-body.ts';
import { checkExpectation, checkHost, checkTransferCoding, eventOf, noTunnel, targetOf } from './http-event.ts';
import { errorReply, standardHeaders, writeReply } from './http-reply.ts';
import { keptOpenMs, keptOpenReserveMs, longestRequestMs } from './kept-open.ts';
import { isFromEdge, type LoadBalancer } from './load-balancer.ts';
import { heldBodyBytes, mostConnections, type OpenRequest, OpenRequests } from './open-requests.ts';
import type { PageRequest } from './page-request.ts';
import { maxHeaderBytes, protocolFault, refuseConnection } from './refuse-connection.ts';
import { StalledTransfers } from './stalled-transfers.ts';
import { watchAnswer } from './unread-answers.ts';

export type HttpHandlers = Readonly<Partial<Record<FunctionName, HttpHandler>>>;

/** State of a request until it gets a response. */
interface Exchange {
  readonly open: OpenRequest;
  readonly signal: AbortSignal;
  /** Lets a client that waits for `100 Continue` send its body. */
  readonly goOn: () => void;
}

interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** A promise, so that the port is known before the handlers that need its address; requests wait for it. */
  readonly handlers: Promise<HttpHandlers>;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /**
   * Returns the maximum body size for callers that `beforeBody` does not identify. Called for each body, since the
   * configuration may change.
   */
  readonly maxBodyBytes: () => Promise<number>;
  /**
   * Identifies the caller and returns how many bytes of the body to read. Called with the request as its handler will
   * get it, but without the body. Returns 0 bytes if the handler will refuse the caller; the handler is then called
   * without the body.
   */
  readonly beforeBody?: (event: HttpEvent) => Promise<BodyAdmission>;
  /** Bytes of request bodies, counted across all listeners of the process. */
  readonly bodies?: CallerShares;
  /** @default mostConnections */
  readonly maxConnections?: number;
  readonly host: string;
  /** If 0, any free port is used. */
  readonly port: number;
  /** Timeouts for the header block and for the whole request. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** Timeout for slowly sent bodies and slowly read responses; see `StalledTransfers`. @default 60_000 */
  readonly stalledMs?: number;
  /** Error body for paths with a format of their own; undefined for paths that use the usual one. */
  readonly errorBody?: (url: string, error: GatewayError) => object | undefined;
  /**
   * Takes over the connection of a WebSocket handshake with the listener's own Host: accepts it (or refuses with
   * `refuseConnection`) and closes it when the listener drains. If absent, no path accepts WebSockets.
   */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Static pages in addition to the routes; undefined for other paths. */
  readonly pages?: Pages;
  /** Additional names accepted in Host. */
  readonly ownNames?: () => Promise<readonly string[]>;
  /** Absent if callers connect to the listener directly. */
  readonly loadBalancer?: LoadBalancer;
  /** Identifies the edge of this process, whose reported client address is trusted [edge.forwarded]. */
  readonly edgeToken?: string;
}

export interface HttpServer {
  readonly port: number;
  /** Serves an HTTP/1.1 request that another listener of this process accepted. */
  readonly serve: Serve;
  /** Stops accepting connections, lets requests in flight finish within `graceMs`, then closes the rest. */
  drain(graceMs?: number): Promise<void>;
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  const { upgrade, loadBalancer, requestTimeoutMs: requestTimeout = longestRequestMs } = options;
  const { maxConnections = mostConnections, bodies = new CallerShares(heldBodyBytes) } = options;
  const connections = new Connections({ most: () => maxConnections });
  const requests = new OpenRequests(maxConnections, bodies);
  const transfers = new StalledTransfers(options.stalledMs ?? 60_000);
  const server = http.createServer({
    // Any other upgrade (h2c) is ignored, and the request is served as usual.
    shouldUpgradeCallback: (request) => upgrade !== undefined && asksForWebSocket(request),
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false, // checked here, so that the error is JSON
    headersTimeout: Math.min(options.headersTimeoutMs ?? 10_000, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: Math.min(1_000, requestTimeout / 2),
    keepAliveTimeout: loadBalancer?.keepAliveMs ?? keptOpenMs,
    keepAliveTimeoutBuffer: keptOpenReserveMs,
  });
  server.maxHeadersCount = 0; // keeps all of them: a dropped header could be the second of two that contradict each other
  let draining = false;

  const router = createRouter(options.routes);
  /** Serves a request, from its headers to its reply. */
  const answer = async (
    request: IncomingMessage,
    requestId: string,
    { open, signal, goOn }: Exchange,
  ): Promise<HttpReply> => {
    const names = options.ownNames ? await options.ownNames() : [];
    checkHost(request, options.host, loadBalancer ? [...loadBalancer.hosts, ...names] : names);
    checkExpectation(request.headers);
    checkTransferCoding(request.headers);
    const target = targetOf(request.url ?? '/');
    if (asksForWebSocket(request)) throw noWebSocket(target.path);
    if (upgrade !== undefined && target.path === webSocketPath) throw noUpgrade();
    const bodyOf = (maxBytes: number): Promise<Buffer> => {
      if (declaredTooLarge(request, maxBytes)) throw tooLarge(maxBytes);
      goOn();
      return readBody(request, { maxBytes, transfers, hold: (bytes) => open.hold(bytes) });
    };
    if (options.pages) {
      const page = await options.pages(pageRequest(request, target.path, bodyOf));
      if (page !== undefined) return page;
    }
    const match = router(request.method ?? 'GET', target.path);
    const handler = (await options.handlers)[match.handledBy];
    if (handler === undefined) throw new Error(`No handler for the function ${match.handledBy}.`);
    const event = eventOf(request, target, match, requestId, { loadBalancer, edgeToken: options.edgeToken });
    const own = await options.beforeBody?.(event);
    if (own?.caller) open.letIn(own.caller);
    const allowed = hasBody(request) ? (own?.bodyBytes ?? Number.POSITIVE_INFINITY) : 0;
    // The limit may need the store, which `/health` does not.
    const bytes = allowed === 0 || own?.caller ? allowed : Math.min(await options.maxBodyBytes(), allowed);
    const whole = bytes > 0 ? withBytes(event, await bodyOf(bytes)) : event;
    return handler(whole, { awsRequestId: requestId, signal });
  };

  /** @param waits whether the client sends its body only after `100 Continue`. */
  const serve = async (request: IncomingMessage, response: ServerResponse, waits = false) => {
    let comes = hasBody(request) && !waits;
    const goOn = () => {
      if (waits) response.writeContinue();
      comes = true;
    };
    const requestId = options.ids.uuid();
    const call = new AbortController();
    const removeCall = callsOf(request.socket).add(call);
    const open = requests.open(connections.carries(request.socket));
    try {
      let given: HttpReply;
      try {
        given = await answer(request, requestId, { open, signal: call.signal, goOn });
      } catch (fault) {
        given = refusal(fault, requestId, request.url);
      }
      if (comes && !request.complete) await discardBody(request);
      await reply(request, response, given, requestId);
    } finally {
      open.over();
      removeCall();
    }
    if (draining) server.closeIdleConnections();
  };

  const reply = async (
    request: IncomingMessage,
    response: ServerResponse,
    given: HttpReply,
    id = options.ids.uuid(),
  ) => {
    const bodyLeft = !request.complete; // the body was not read, so further bytes on this connection cannot be trusted
    const stamped = standardHeaders(id);
    if (draining || bodyLeft) stamped.connection = 'close';
    try {
      // Only static files say how long they may be cached.
      const kept = given.headers?.['cache-control'];
      const headers = { ...given.headers, ...stamped };
      if (kept !== undefined) headers['cache-control'] = kept;
      await writeReply(request, response, { ...given, headers });
    } catch (fault) {
      const { headers, ...rest } = refusal(fault, id);
      if (response.headersSent) return void response.destroy(); // cut off, so that the client does not treat it as complete
      await writeReply(request, response, { ...rest, headers: { ...headers, ...stamped } });
    }
  };

  const refusal = (fault: unknown, requestId: string, url = '/'): HttpReply => {
    const error = asGatewayError(fault);
    if (error.kind.status >= 500)
      options.telemetry.log('error', 'A request failed.', { request_id: requestId, error: error.message });
    const given = errorReply(error);
    const body = options.errorBody?.(url, error);
    return body ? { ...given, body: JSON.stringify(body) } : given;
  };

  /** Pending calls per connection. All of them are notified if the client disconnects. */
  const waiting = new Map<Socket, OpenItems<AbortController>>();
  const callsOf = (socket: Socket): OpenItems<AbortController> => {
    const known = waiting.get(socket);
    if (known) return known;
    const calls = new OpenItems<AbortController>();
    if (socket.destroyed) return calls;
    waiting.set(socket, calls);
    socket.once('close', () => {
      waiting.delete(socket);
      for (const call of calls.all()) call.abort();
    });
    return calls;
  };
  server.on('connection', (socket) => {
    callsOf(socket);
    connections.opened(socket);
  });
  const serveHere = (request: IncomingMessage, response: ServerResponse, waits = false) => {
    // The edge reads as fast as its own client, which it watches itself.
    if (!isFromEdge(request, options.edgeToken)) watchAnswer(transfers, response);
    return serve(request, response, waits);
  };
  server.on('request', (request, response) => serveHere(request, response));
  server.on('checkContinue', (request, response) => serveHere(request, response, true));
  // Otherwise Node responds by itself, without a body.
  server.on('checkExpectation', (request, response) => serve(request, response));
  server.on('connect', (_request, socket: Socket) => {
    refuseConnection(socket, noTunnel(), options.ids.uuid());
  });
  server.on('clientError', (fault: NodeJS.ErrnoException, socket: Socket) => {
    if (fault.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    return refuseConnection(socket, protocolFault(fault.code), options.ids.uuid());
  });

  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket, head) => {
    const carried = connections.carries(request.socket);
    carried.letIn(); // the code that takes over the connection limits those without a key
    upgraded.add(
      socket.once('close', () => {
        upgraded.delete(socket);
        carried.over();
      }),
    );
    socket.on('error', () => socket.destroy());
    try {
      checkHost(request, options.host, loadBalancer?.hosts);
      if (upgrade === undefined || !asksForWebSocket(request)) throw noWebSocket(targetOf(request.url ?? '/').path);
      if (draining)
        throw new GatewayError('service_unavailable', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
      upgrade(request, socket, head);
    } catch (fault) {
      refuseConnection(socket, asGatewayError(fault), options.ids.uuid());
    }
  });

  await bindPort(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    serve,
    drain: (graceMs = 10_000) => {
      draining = true;
      // Opened but unused: no client waits for a response on them.
      for (const socket of connections.sockets()) if (socket.bytesRead === 0) socket.destroy();
      return new Promise((resolve) => {
        const cut = setTimeout(() => {
          server.closeAllConnections();
          for (const socket of upgraded) socket.destroy(); // upgraded connections, which the server no longer tracks
        }, graceMs);
        server.close(() => {
          clearTimeout(cut);
          transfers.stop();
          resolve();
        });
      });
    },
  };
}

const pageRequest = (request: IncomingMessage, path: string, body: PageRequest['body']): PageRequest => ({
  method: request.method ?? 'GET',
  path,
  remoteAddress: request.socket.remoteAddress,
  headers: request.headers,
  body,
});

const asksForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Path of the WebSocket on a listener that accepts WebSockets. */
export const webSocketPath = '/v1/ws';

const noUpgrade = () =>
  new GatewayError(
    'invalid_request',
    `${webSocketPath} is a WebSocket, and this request does not ask for an upgrade; connect with a WebSocket client, or POST to /v1/chat/completions.`,
  );

export const noWebSocket = (path: string): GatewayError =>
  new GatewayError(
    'not_found',
    `There is no WebSocket at ${path.slice(0, 200)}; the gateway has one at ${webSocketPath}.`,
  );
