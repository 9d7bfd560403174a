/** The edge's listeners: TLS with HTTP/2 and HTTP/1.1 by ALPN, and HTTP/2 in cleartext [edge.listeners]. */
import type { IncomingMessage } from 'node:http';
import { createSecureServer, createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Ids } from '#core/kernel/ports.ts';
import { bindPort } from '../../../bin/local/bind-port.ts';
import { Connections, type ConnectionsOptions } from '../../../bin/local/connections.ts';
import { noTunnel } from '../../../bin/local/http-event.ts';
import { keptOpenMs, keptOpenReserveMs, longestRequestMs } from '../../../bin/local/kept-open.ts';
import { maxHeaderBytes, protocolFault, refuseConnection } from '../../../bin/local/refuse-connection.ts';
import { StalledTransfers } from '../../../bin/local/stalled-transfers.ts';
import { CountedHttp2Response, watchAnswer } from '../../../bin/local/unread-answers.ts';
import type { Certificate } from './certificate.ts';
import type { EdgeRequest, EdgeResponse } from './forward.ts';

interface EdgeListenerOptions extends Required<ConnectionsOptions> {
  readonly host: string;
  /** TLS port. 0 selects any free port. */
  readonly tlsPort: number;
  readonly cleartextPort: number;
  readonly certificate: Certificate;
  readonly ids: Ids;
  readonly answer: (request: EdgeRequest, response: EdgeResponse) => void;
  /** Called for a WebSocket handshake, which is supported over HTTP/1.1 only. */
  readonly upgrade: (request: EdgeRequest, socket: Duplex, head: Buffer) => void;
  /** See `StalledTransfers`. @default a minute */
  readonly unreadMs?: number | undefined;
  /** Maximum time that an HTTP/2 session may have no stream. @default idleMs */
  readonly sessionIdleMs?: number | undefined;
}

export interface EdgeListeners {
  readonly tlsPort: number;
  readonly cleartextPort: number;
  connections(): number;
  /**
   * Stops accepting connections, gives requests in flight `graceMs` to finish, then closes the remaining connections.
   */
  drain(graceMs: number): Promise<void>;
}

const idleMs = 60_000;
const headersMs = 10_000;

const http2Limits = {
  settings: { maxConcurrentStreams: 100, maxHeaderListSize: maxHeaderBytes, enableConnectProtocol: false },
  maxHeaderListPairs: 128,
  maxSessionInvalidFrames: 50,
  maxSessionRejectedStreams: 50,
  maxOutstandingPings: 5,
  maxSettings: 16,
  // Streams that are opened and reset immediately: a burst, then this many per second; above that the session is
  // closed.
  streamResetBurst: 200,
  streamResetRate: 33,
  unknownProtocolTimeout: 5_000,
  Http2ServerResponse: CountedHttp2Response,
} as const;

const http1Limits = {
  maxHeaderSize: maxHeaderBytes,
  headersTimeout: headersMs,
  requestTimeout: longestRequestMs,
  keepAliveTimeout: keptOpenMs,
  keepAliveTimeoutBuffer: keptOpenReserveMs,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false, // checked by the edge, so that the error is JSON
  insecureHTTPParser: false,
} as const;

/** Opens the listeners. @throws Error if a port is in use. */
export async function edgeListeners(options: EdgeListenerOptions): Promise<EdgeListeners> {
  const { cert, key } = options.certificate;
  const tls = createSecureServer({
    ...http2Limits,
    ...http1Limits,
    allowHTTP1: true,
    cert,
    key,
    minVersion: 'TLSv1.3',
    ecdhCurve: 'X25519:P-256',
    handshakeTimeout: headersMs,
  });
  Object.assign(tls, {
    // Keeps all headers, as at the upstream listeners: a dropped one could be the second of two that contradict each
    // other.
    maxHeadersCount: 0,
    // Any other upgrade (h2c) is ignored, and the request is served as usual [http.expectation].
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  const cleartext = createServer(http2Limits);
  const connections = new Connections(options);
  const sessions = new Set<ServerHttp2Session>();
  const secured = new Set<Socket>();
  tls.on('secureConnection', (socket) => {
    secured.add(socket.once('close', () => secured.delete(socket)));
  });
  const { unreadMs = idleMs, sessionIdleMs = idleMs } = options;
  const transfers = new StalledTransfers(unreadMs);
  /**
   * Marks the connection as carrying a request. Because authorisation happens at the upstreams, every request keeps its
   * connection open here.
   */
  const carriedOver = (socket: Socket): (() => void) => {
    const carried = connections.carries(socket);
    carried.letIn();
    return carried.over;
  };
  const take = (request: EdgeRequest, response: EdgeResponse): void => {
    response.once('close', carriedOver(request.socket));
    watchAnswer(transfers, response, () => options.ended('unread'));
    options.answer(request, response);
  };
  let draining = false;
  for (const server of [tls, cleartext]) {
    server.on('connection', (socket: Socket) => {
      // Otherwise an HTTP/1.1 response is delayed about 40 ms until the client acknowledges its headers.
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      connections.opened(socket);
      // For connections that never send a byte. TLS handshakes and requests have separate timeouts.
      if (server === cleartext) socket.setTimeout(idleMs, () => socket.destroy());
    });
    server.on('session', (session: ServerHttp2Session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
      session.on('error', ({ code }: NodeJS.ErrnoException) => {
        // A client that disconnects midway is not at fault.
        if (code?.startsWith('ERR_HTTP2_')) options.ended('protocol');
        session.destroy();
      });
      let streams = 0;
      session.on('stream', (stream) => {
        streams += 1;
        stream.once('close', () => {
          streams -= 1;
        });
      });
      session.setTimeout(sessionIdleMs, () => {
        if (streams > 0) return;
        session.close();
        // An unfinished header block does not count as a stream yet, and keeps a closing session open.
        const cut = setTimeout(() => void (streams === 0 && session.destroy()), Math.min(headersMs, sessionIdleMs));
        session.once('close', () => clearTimeout(cut));
      });
    });
    server.on('request', (request: EdgeRequest, response: EdgeResponse) => {
      if (draining && !('stream' in response)) response.setHeader('connection', 'close');
      take(request, response);
    });
    server.on('checkContinue', (request: EdgeRequest, response: EdgeResponse) => {
      response.writeContinue();
      take(request, response);
    });
    // Otherwise Node responds by itself, without a body.
    server.on('checkExpectation', take);
    // Over HTTP/2 it is an ordinary request, whose stream would stay open without a response.
    server.on('connect', (request: EdgeRequest, to: Duplex | EdgeResponse) => {
      if ('stream' in request) take(request, to as EdgeResponse);
      else refuseConnection(to as Duplex, noTunnel(), options.ids.uuid());
    });
    server.on('sessionError', () => {}); // the session's own handler ends it
    server.on('clientError', (fault: NodeJS.ErrnoException, socket: Socket) => {
      // Before the end of the handshake no response is possible, and written bytes keep the connection open.
      const open = server === cleartext || secured.has(socket);
      if (fault.code !== 'ECONNRESET') options.ended(open ? 'protocol' : 'handshake');
      if (open && fault.code !== 'ECONNRESET' && socket.writable)
        refuseConnection(socket, protocolFault(fault.code), options.ids.uuid());
      else socket.destroy();
    });
  }
  tls.on('upgrade', (request, socket, head) => {
    socket.once('close', carriedOver(request.socket));
    options.upgrade(request, socket, head);
  });
  await bindPort(tls, { host: options.host, port: options.tlsPort });
  await bindPort(cleartext, { host: options.host, port: options.cleartextPort });
  return {
    tlsPort: (tls.address() as AddressInfo).port,
    cleartextPort: (cleartext.address() as AddressInfo).port,
    connections: () => connections.size,
    drain: async (graceMs) => {
      draining = true;
      for (const session of sessions) session.close();
      for (const socket of connections.sockets()) if (socket.bytesRead === 0) socket.destroy();
      const cut = setTimeout(() => {
        for (const socket of connections.sockets()) socket.destroy();
      }, graceMs);
      await Promise.all([tls, cleartext].map((server) => new Promise((resolve) => server.close(resolve))));
      clearTimeout(cut);
      transfers.stop();
    },
  };
}
