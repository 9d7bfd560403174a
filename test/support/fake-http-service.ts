import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

import { type Served, serve } from './serve.ts';

/**
 * Reply, or a fault: `hang` accepts the request and never responds; `cut` closes the connection; `half` closes it in
 * the middle of a response.
 */
export type Behaviour = 'hang' | 'cut' | 'half' | Reply;

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface FakeHttpService extends Served {
  readonly asked: Asked[];
  /** Resolves when a complete request has arrived. */
  arrived(): Promise<Asked>;
}

export async function fakeHttpService(behave: (asked: Asked) => Behaviour): Promise<FakeHttpService> {
  const asked: Asked[] = [];
  const waiting: ((call: Asked) => void)[] = [];
  const served = await serve(async (request, response) => {
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
  return { ...served, asked, arrived: () => new Promise((arrived) => waiting.push(arrived)) };
}
