/** An HTTP server for a test, on a free port of the loopback address. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Served {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

export async function serve(listener: RequestListener): Promise<Served> {
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
