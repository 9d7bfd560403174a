/** An HTTP service whose answers, delays and cuts a test decides; it remembers what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `hang` takes the request and never answers; `cut` ends the connection; `half` begins an answer and ends it there. */
export type Behaviour = 'hang' | 'cut' | 'half' | Reply;

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text or bytes as they are, anything else as JSON. */
  readonly body?: unknown;
}

export interface FakeHttpService {
  readonly url: string;
  readonly port: number;
  readonly asked: Asked[];
  /** Resolves when a request has arrived whole. */
  arrived(): Promise<Asked>;
  stop(): Promise<void>;
}

export async function fakeHttpService(behave: (asked: Asked) => Behaviour): Promise<FakeHttpService> {
  const asked: Asked[] = [];
  const waiting: ((call: Asked) => void)[] = [];
  const server = createServer({ keepAliveTimeout: 0 }, async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, body: await text(request) };
    asked.push(call);
    const behaviour = behave(call);
    for (const tell of waiting.splice(0)) tell(call);
    if (behaviour === 'hang') return;
    if (behaviour === 'cut') return void request.socket.destroy();
    if (behaviour === 'half') {
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'text/plain' });
      response.write('half');
      return void setImmediate(() => request.socket.destroy());
    }
    const { status = 200, headers: shown = {}, body } = behaviour;
    const plain = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, { 'content-type': plain ? 'text/plain; charset=utf-8' : 'application/json', ...shown });
    response.end(body === undefined ? undefined : plain ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    arrived: () => new Promise((arrived) => waiting.push(arrived)),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
