/**
 * A JSON server on the loopback address that records its calls. Queued faults are used first, and `hang` never
 * responds.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from './serve.ts';

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
  const served = await serve(async (request, response) => {
    const body = await text(request);
    const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    const fault = faults.shift();
    if (fault === 'hang') return;
    const { status, headers, body: told } = fault ?? (await answer(call));
    response.writeHead(status, { 'content-type': contentType, ...headers });
    response.end(told === undefined ? undefined : typeof told === 'string' ? told : JSON.stringify(told));
  });
  return { ...served, calls, faults };
}
