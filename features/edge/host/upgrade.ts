/** Forwards a WebSocket handshake to the gateway, then pipes the two connections together. */
import type { Duplex } from 'node:stream';
import { http } from '#adapters/system/node-http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { returnedHeaders } from '../forwarded-headers.ts';

interface UpgradeTarget {
  readonly origin: URL;
  readonly path: string;
  /** Alternating names and values, without the hop-by-hop headers. */
  readonly headers: readonly string[];
}

/**
 * Resolves when the connection has ended. The result is the status of the handshake: 101, or that of the gateway's
 * refusal.
 * @throws GatewayError `service_unavailable` if the gateway does not respond.
 */
export function forwardUpgrade(
  socket: Duplex,
  head: Buffer,
  { origin, path, headers }: UpgradeTarget,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = http.request({
    host: origin.hostname.replace(/^\[|\]$/g, ''),
    port: origin.port,
    path,
    headers: [...headers, 'connection', 'Upgrade', 'upgrade', 'websocket'],
    setDefaultHeaders: false,
  });
  socket.once('close', () => outgoing.destroy());
  outgoing.on('error', (cause) =>
    reject(
      new GatewayError('service_unavailable', 'The upstream does not answer; retry in 1 s.', {
        cause,
        retryAfterSeconds: 1,
      }),
    ),
  );
  outgoing.on('response', (answer) => {
    const status = answer.statusCode ?? 502;
    socket.write(headOf(status, [...returnedHeaders(answer.rawHeaders), 'connection', 'close']));
    answer.pipe(socket).once('close', () => resolve(status));
  });
  outgoing.on('upgrade', (answer, upstream, first) => {
    socket.write(headOf(101, [...returnedHeaders(answer.rawHeaders), 'connection', 'Upgrade', 'upgrade', 'websocket']));
    socket.write(first);
    upstream.write(head);
    upstream.on('error', () => socket.destroy());
    upstream.once('close', () => {
      socket.end();
      resolve(101);
    });
    socket.once('close', () => upstream.destroy());
    upstream.pipe(socket);
    socket.pipe(upstream);
  });
  outgoing.end();
  return promise;
}

function headOf(status: number, raw: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) lines.push(`${raw[at]}: ${raw[at + 1]}\r\n`);
  return `HTTP/1.1 ${status} ${status === 101 ? 'Switching Protocols' : 'Refused'}\r\n${lines.join('')}\r\n`;
}
