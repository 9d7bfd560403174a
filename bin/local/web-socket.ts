/**
 * `/v1/ws` of the local run, in the role of the WebSocket API and its functions on AWS. This file checks the handshake;
 * `socket-connection.ts` handles the messages.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { socketLimits } from '#core/chat/socket-message.ts';
import { assertOrigin } from '#core/configuration/identity/web-origin.ts';
import { asGatewayError, GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { CallerShares } from '#core/limits/caller-shares.ts';
import type { ChatEndpointPorts } from '#lambdas/middleware/chat-endpoint.ts';
import { handshakeHeader, isKnown } from '#lambdas/ws/caller.ts';
import { targetOf } from './http-event.ts';
import { noWebSocket, webSocketPath } from './http-server.ts';
import { callerAddress, type LoadBalancer } from './load-balancer.ts';
import { refuseConnection } from './refuse-connection.ts';
import { SocketConnection } from './socket-connection.ts';

export interface WebSockets {
  /** Handles a handshake. @throws GatewayError `not_found` for another path. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Accepts no more calls, lets running ones end, closes every connection and waits until its calls are settled. */
  close(): Promise<void>;
  /** Returns the number of open connections. */
  open(): number;
}

interface WebSocketOptions {
  /** Absent if callers connect to the listener directly. */
  readonly loadBalancer?: LoadBalancer;
  /** See the listener's option. */
  readonly edgeToken?: string;
  /** Time for running calls after the gateway stops. @default 8 s, because a listener closes the rest after ten */
  readonly drainMs?: number;
  /** Maximum number of open connections, divided among keys [http.connections]. @default socketLimits.connections */
  readonly connections?: number;
}

export function webSockets(
  ports: Promise<ChatEndpointPorts>,
  { loadBalancer, edgeToken, drainMs = 8_000, connections: most = socketLimits.connections }: WebSocketOptions = {},
): WebSockets {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // No subprotocol is supported. The library would return the first one, in which some clients send their key.
    handleProtocols: () => false,
  });
  server.on('wsClientError', ({ message }, socket) => {
    const fault = invalidRequest(
      `${message}. Send Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key of 16 bytes in base64.`,
    );
    void ports.then(({ ids }) => refuseConnection(socket, fault, ids.uuid()));
  });
  const open = new Set<SocketConnection>();
  const shares = new CallerShares((most * 9) / 10);
  let stopping = false;

  /**
   * Makes room by closing the oldest connection that has not sent a key [http.connections].
   * @param known whether the handshake has a known key.
   * @throws GatewayError `rate_limit_error` if all other connections have sent one.
   */
  const assertCapacity = (known: boolean) => {
    const without = [...open].filter(({ waitsForKey }) => waitsForKey);
    if (open.size < most && (known || without.length < most / 10)) return;
    if (without[0]) return without[0].makeRoom();
    throw new GatewayError(
      'rate_limit_error',
      `${open.size} connections are open, which is the maximum. Close one, or connect again later.`,
      { retryAfterSeconds: 1 },
    );
  };

  const admit = async (request: IncomingMessage, socket: Duplex, head: Buffer, ready: ChatEndpointPorts) => {
    const snapshot = await ready.snapshots.current();
    const { server: settings } = snapshot.configuration;
    if (stopping)
      throw new GatewayError('service_unavailable', 'The gateway is shutting down.', { retryAfterSeconds: 1 });
    const { origin = [] } = request.headersDistinct;
    assertOrigin(origin, request.headers.host, settings.cors.allowed_origins);
    const headers = request.headersDistinct;
    const address = callerAddress(request, loadBalancer, edgeToken);
    const known = await isKnown(headers, address, ready);
    assertCapacity(known);
    const sessionId = handshakeHeader(headers, 'x-session-id');
    server.options.maxPayload = known ? settings.max_body_bytes : socketLimits.bytesBeforeKey;
    server.handleUpgrade(request, socket, head, (ws: WebSocket) => {
      const connection = new SocketConnection(ws, { headers, address, sessionId, known, shares }, ready);
      open.add(connection);
      ws.once('close', () => void connection.over().finally(() => open.delete(connection)));
    });
  };

  return {
    open: () => open.size,

    upgrade(request, socket, head) {
      const { path } = targetOf(request.url ?? '/');
      if (path !== webSocketPath) throw noWebSocket(path);
      void ports.then((ready) =>
        admit(request, socket, head, ready).catch((thrown) =>
          refuseConnection(socket, asGatewayError(thrown), ready.ids.uuid()),
        ),
      );
    },

    async close() {
      stopping = true;
      const { timeouts } = await ports;
      const late = new Promise<void>((resolve) => timeouts.after(drainMs, resolve));
      await Promise.all([...open].map((connection) => connection.drain(late)));
    },
  };
}
