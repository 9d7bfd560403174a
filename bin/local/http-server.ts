/**
 * One listener of the local run: what API Gateway does in the cloud. Hostile bytes end here as a typed error, or
 * become the event that handlers take.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Ids, Telemetry } from '#core/kernel/ports.ts';
import { withBytes } from '#lambdas/middleware/body.ts';
import { createRouter } from '#lambdas/middleware/router.ts';
import type { Pages } from './console.ts';
import { declaredTooLarge, discardBody, hasBody, readBody, tooLarge } from './http-body.ts';
import { checkExpectation, checkHost, checkTransferCoding, eventOf, noTunnel, targetOf } from './http-event.ts';
import { errorReply, standardHeaders, writeReply } from './http-reply.ts';
import { keptOpenMs, keptOpenReserveMs } from './kept-open.ts';
import { isFromEdge, type LoadBalancer } from './load-balancer.ts';
import type { PageRequest } from './page-request.ts';
import { UnreadAnswers } from './unread-answers.ts';

export type HttpHandlers = Readonly<Partial<Record<FunctionName, HttpHandler>>>;

interface HttpServerOptions {
  readonly routes: readonly Route[];
  /** A promise, so that the port is known before what needs its address; requests wait for it. */
  readonly handlers: Promise<HttpHandlers>;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** Asked at every request: the configuration may change. */
  readonly maxBodyBytes: () => Promise<number>;
  /**
   * The most of a body that is read, asked with the request as it will reach its handler, but for the body. 0 for a caller
   * whom the handler will refuse: the handler is asked without it.
   */
  readonly bodyLimit?: (event: HttpEvent) => Promise<number>;
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** A header block or a whole request that takes longer is ended (slow clients). */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** See `UnreadAnswers`; a minute unless given. */
  readonly unreadMs?: number;
  /** How some paths word their errors; undefined for the usual form. */
  readonly errorBody?: (url: string, error: GatewayError) => object | undefined;
  /**
   * Takes over the connection of a WebSocket handshake with our own Host: it answers (or refuses, with `refuseConnection`)
   * and closes it when the listener drains. Without it there is no WebSocket at any path.
   */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Static pages beside the routes; undefined for paths that are not theirs. */
  readonly pages?: Pages;
  /** Absent where callers connect to the listener themselves. */
  readonly loadBalancer?: LoadBalancer;
  /** By which the edge of this process proves itself: of its requests the client's address is believed [edge.address]. */
  readonly edgeToken?: string;
}

export interface HttpServer {
  readonly port: number;
  /** Answers a request of HTTP/1.1 that another listener of this process took. */
  readonly serve: Serve;
  /** Stops accepting, finishes what is in flight within `graceMs`, then cuts what is left. */
  drain(graceMs?: number): Promise<void>;
}

/** As on API Gateway: request line and headers together. */
export const maxHeaderBytes = 10_240;
/** Of one listener at a time; a further one is closed at once. */
const maxConnections = 4_096;

export type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export async function listen(options: HttpServerOptions): Promise<HttpServer> {
  const requestTimeout = options.requestTimeoutMs ?? 60_000;
  const { upgrade, loadBalancer } = options;
  const server = createServer({
    // Any other upgrade (h2c) may be ignored: the request is answered as it stands.
    shouldUpgradeCallback: (request) => upgrade !== undefined && asksForWebSocket(request),
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false, // checked by us, to answer in JSON
    headersTimeout: Math.min(options.headersTimeoutMs ?? 10_000, requestTimeout),
    requestTimeout,
    connectionsCheckingInterval: Math.min(1_000, requestTimeout / 2),
    keepAliveTimeout: loadBalancer?.keepAliveMs ?? keptOpenMs,
    keepAliveTimeoutBuffer: keptOpenReserveMs,
  });
  server.maxConnections = maxConnections;
  server.maxHeadersCount = 0; // all of them: a dropped header could be the second of two that contradict
  let draining = false;

  const router = createRouter(options.routes);
  /** The story of a request. */
  const answer = async (
    request: IncomingMessage,
    requestId: string,
    signal: AbortSignal,
    goOn: () => void,
  ): Promise<HttpReply> => {
    checkHost(request, options.host, loadBalancer?.hosts);
    checkExpectation(request.headers);
    checkTransferCoding(request.headers);
    const target = targetOf(request.url ?? '/');
    if (asksForWebSocket(request)) throw noWebSocket(target.path);
    if (upgrade !== undefined && target.path === webSocketPath) throw noUpgrade();
    const page = await options.pages?.(pageRequest(request, target.path, goOn));
    if (page !== undefined) return page;
    const match = router(request.method ?? 'GET', target.path);
    const handler = (await options.handlers)[match.handledBy];
    if (handler === undefined) throw new Error(`No handler for the function ${match.handledBy}.`);
    const event = eventOf(request, target, match, requestId, { loadBalancer, edgeToken: options.edgeToken });
    const bytes = hasBody(request) ? await bodyLimit(event) : 0;
    if (bytes > 0 && declaredTooLarge(request, bytes)) throw tooLarge(bytes);
    if (bytes > 0) goOn();
    const whole = bytes > 0 ? withBytes(event, await readBody(request, bytes)) : event;
    return handler(whole, { awsRequestId: requestId, signal });
  };
  const bodyLimit = async (event: HttpEvent): Promise<number> => {
    const [most, own] = await Promise.all([options.maxBodyBytes(), options.bodyLimit?.(event)]);
    return Math.min(most, own ?? most);
  };

  /** @param waits the client sends its body only after `100 Continue`. */
  const serve = async (request: IncomingMessage, response: ServerResponse, waits = false) => {
    let comes = hasBody(request) && !waits;
    const goOn = () => {
      if (waits) response.writeContinue();
      comes = true;
    };
    const requestId = options.ids.uuid();
    const call = new AbortController();
    const calls = callsOf(request.socket).add(call);
    const given = await answer(request, requestId, call.signal, goOn).catch((fault) =>
      refusal(fault, requestId, request.url),
    );
    if (comes && !request.complete) await discardBody(request);
    await reply(request, response, given, requestId);
    calls.delete(call);
    if (draining) server.closeIdleConnections();
  };

  const reply = async (
    request: IncomingMessage,
    response: ServerResponse,
    given: HttpReply,
    id = options.ids.uuid(),
  ) => {
    const bodyLeft = !request.complete; // an unread body: what follows on this connection cannot be trusted
    const stamped = { ...standardHeaders(id), ...((draining || bodyLeft) && closing) };
    try {
      await writeReply(request, response, { ...given, headers: { ...given.headers, ...stamped } });
    } catch (fault) {
      const { headers, ...rest } = refusal(fault, id);
      if (response.headersSent) return void response.destroy(); // cut off: the client must not take it for whole
      await writeReply(request, response, { ...rest, headers: { ...headers, ...stamped } });
    }
  };

  const refusal = (fault: unknown, requestId: string, url = '/'): HttpReply => {
    const error = asGatewayError(fault);
    if (error.kind.status >= 500) {
      options.telemetry.log('error', 'A request failed.', { request_id: requestId, error: error.message });
    }
    const given = errorReply(error);
    const body = options.errorBody?.(url, error);
    return body ? { ...given, body: JSON.stringify(body) } : given;
  };

  /** The calls that wait on each connection; a client that goes away is noticed by all of them. */
  const waiting = new Map<Socket, Set<AbortController>>();
  const callsOf = (socket: Socket): Set<AbortController> => {
    const known = waiting.get(socket);
    if (known) return known;
    const calls = new Set<AbortController>();
    if (socket.destroyed) return calls;
    waiting.set(socket, calls);
    socket.once('close', () => {
      waiting.delete(socket);
      for (const call of calls) call.abort();
    });
    return calls;
  };
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    callsOf(socket);
  });
  const { unreadMs = 60_000 } = options;
  const unread = new UnreadAnswers(unreadMs);
  const serveHere = (request: IncomingMessage, response: ServerResponse, waits = false) => {
    // The edge reads as fast as its own client does, which it watches itself.
    if (!isFromEdge(request, options.edgeToken)) unread.watch(response);
    return serve(request, response, waits);
  };
  server.on('request', (request, response) => serveHere(request, response));
  server.on('checkContinue', (request, response) => serveHere(request, response, true));
  // Else Node answers by itself, without a body.
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
    upgraded.add(socket.once('close', () => upgraded.delete(socket)));
    socket.on('error', () => socket.destroy());
    try {
      checkHost(request, options.host, loadBalancer?.hosts);
      if (upgrade === undefined || !asksForWebSocket(request)) throw noWebSocket(targetOf(request.url ?? '/').path);
      if (draining)
        throw new GatewayError('service_unavailable', 'The gateway is about to stop.', { retryAfterSeconds: 1 });
      upgrade(request, socket, head);
    } catch (fault) {
      refuseConnection(socket, asGatewayError(fault), options.ids.uuid());
    }
  });

  await bound(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    serve,
    drain: (graceMs = 10_000) => {
      draining = true;
      // Opened and never used: no client waits for an answer on them.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      return new Promise((resolve) => {
        const cut = setTimeout(() => {
          server.closeAllConnections();
          for (const socket of upgraded) socket.destroy(); // of those the server itself knows no more
        }, graceMs);
        server.close(() => {
          clearTimeout(cut);
          unread.stop();
          resolve();
        });
      });
    },
  };
}

const pageRequest = (request: IncomingMessage, path: string, goOn: () => void): PageRequest => ({
  method: request.method ?? 'GET',
  path,
  remoteAddress: request.socket.remoteAddress,
  headers: request.headers,
  body: (maxBytes) => {
    if (declaredTooLarge(request, maxBytes)) throw tooLarge(maxBytes);
    goOn();
    return readBody(request, maxBytes);
  },
});

const closing = { connection: 'close' };

const asksForWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/** Where clients connect on a listener that takes WebSockets. */
export const webSocketPath = '/v1/ws';

const noUpgrade = () =>
  new GatewayError(
    'invalid_request',
    `${webSocketPath} is a WebSocket, and this request asks for no upgrade; connect with a WebSocket client, or POST to /v1/chat/completions.`,
  );

export const noWebSocket = (path: string): GatewayError =>
  new GatewayError(
    'not_found',
    `There is no WebSocket at ${path.slice(0, 200)}; the gateway has one at ${webSocketPath}.`,
  );

function bound(server: Server, { host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EADDRINUSE') return reject(fault);
      const hint = 'stop what listens there, or choose another port (0 = any free one)';
      return reject(new Error(`Port ${port} of ${host} is in use: ${hint}.`, { cause: fault }));
    });
    server.listen({ host, port }, resolve);
  });
}

/** What Node's parser refuses before there is a request. */
export function protocolFault(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new GatewayError(
      'payload_too_large',
      `The headers are larger than ${maxHeaderBytes} bytes, the most allowed. Send fewer or shorter headers.`,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return invalidRequest('The request did not arrive in time. Send it again without pauses.');
  return invalidRequest('The request is not well-formed HTTP/1.1.');
}

/** Answers on a bare connection, as on any other, and ends it. */
export function refuseConnection(socket: Duplex, error: GatewayError, requestId: string): void {
  const { statusCode, headers, body } = errorReply(error);
  const length = { 'content-length': String(Buffer.byteLength(String(body))) };
  const all = { ...headers, ...standardHeaders(requestId), ...closing, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${error.code}\r\n${lines.join('')}\r\n${body}`);
}
