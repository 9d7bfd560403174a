/**
 * The network between two deployments. It forwards HTTP to the emulator, and the connection can be cut and restored.
 */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Forwarder {
  readonly url: string;
  /** Closes the connection on each request, as in a network partition. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

export async function forwardTo(endpoint: string): Promise<Forwarder> {
  const { hostname, port } = new URL(endpoint);
  let isCut = false;
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, answer) => {
    if (isCut) return void incoming.socket.destroy();
    const { method, url: path, headers } = incoming;
    const outgoing = request({ hostname, port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      server.closeAllConnections();
    },
    mend: () => {
      isCut = false;
    },
    stop: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
