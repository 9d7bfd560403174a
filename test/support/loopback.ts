/** A JSON server on the loopback address that remembers its calls; faults come first, and `hang` never answers. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface LoopbackCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface LoopbackAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export async function loopback(
  answer: (call: LoopbackCall) => LoopbackAnswer | Promise<LoopbackAnswer>,
  contentType = 'application/json',
) {
  const calls: LoopbackCall[] = [];
  const faults: (LoopbackAnswer | 'hang')[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = await text(request);
    const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    const {
      status,
      headers,
      body: told,
    } = await (async () => {
      const fault = faults.shift();
      return fault === 'hang' ? new Promise<never>(() => {}) : (fault ?? answer(call));
    })();
    response.writeHead(status, { 'content-type': contentType, ...headers });
    response.end(told === undefined ? undefined : typeof told === 'string' ? told : JSON.stringify(told));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    faults,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
