/**
 * The Runtime API of one execution environment: hands out invocations and accepts complete responses, streams and
 * errors.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Data that the function posted for one invocation, as bytes. */
export interface Posted {
  readonly kind: 'answer' | 'stream' | 'error';
  readonly contentType: string;
  readonly bytes: Buffer;
  /** Error type of a stream that failed after it began. */
  readonly errorType?: string;
}

interface Invocation {
  readonly id: string;
  readonly event: string;
  readonly deadlineMs: number;
  /** Number of bytes after which the response stream is cut, as if the reader had disconnected. */
  readonly cutAfterBytes: number;
  readonly settle: (posted: Posted) => void;
}

export interface RuntimeApi {
  readonly address: string;
  /** @param remainingMs the remaining time reported to the function. */
  invoke(event: unknown, options?: { remainingMs?: number; cutAfterBytes?: number }): Promise<Posted>;
  /** Resolves when the function is loaded and requests its first invocation. */
  readonly loaded: Promise<void>;
  /** Returns the error that a function reported while loading. */
  initError(): string | undefined;
  stop(): Promise<void>;
}

const path = '/2018-06-01/runtime';

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const queued: Invocation[] = [];
  const open = new Map<string, Invocation>();
  const loaded = Promise.withResolvers<void>();
  let waiting: ServerResponse | undefined;
  let initError: string | undefined;
  let count = 0;

  const handOut = (): void => {
    if (!waiting || waiting.destroyed || queued.length === 0) return;
    const next = queued.shift() as Invocation;
    open.set(next.id, next);
    waiting.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': next.id,
      'lambda-runtime-deadline-ms': String(next.deadlineMs),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:000000000000:function:tested',
    });
    waiting.end(next.event);
    waiting = undefined;
  };

  const take = async (request: IncomingMessage, response: ServerResponse, id: string, what: string): Promise<void> => {
    const invocation = open.get(id);
    const streamed = request.headers['lambda-runtime-function-response-mode'] === 'streaming';
    const bytes = await received(request, invocation?.cutAfterBytes ?? Number.POSITIVE_INFINITY);
    if (request.complete) response.writeHead(202).end();
    open.delete(id);
    const errorType = request.trailers['lambda-runtime-function-error-type'];
    invocation?.settle({
      kind: what === 'error' ? 'error' : streamed ? 'stream' : 'answer',
      contentType: request.headers['content-type'] ?? '',
      bytes,
      ...(errorType && { errorType }),
    });
  };

  // Like AWS, does not time out a connection that is idle while the function works, before its response.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const [id = '', what = ''] = (request.url ?? '').slice(`${path}/invocation/`.length).split('/');
    if (request.url === `${path}/invocation/next`) {
      waiting = response;
      loaded.resolve();
      handOut();
    } else if (request.url === `${path}/init/error`) {
      initError = await text(request);
      response.writeHead(202).end();
    } else {
      await take(request, response, id, what);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;

  return {
    address: `127.0.0.1:${port}`,
    invoke: (event, { remainingMs = 60_000, cutAfterBytes = Number.POSITIVE_INFINITY } = {}) =>
      new Promise((settle) => {
        count += 1;
        const id = `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
        queued.push({ id, event: JSON.stringify(event), deadlineMs: Date.now() + remainingMs, cutAfterBytes, settle });
        handOut();
      }),
    loaded: loaded.promise,
    initError: () => initError,
    stop() {
      server.closeAllConnections();
      return new Promise((stopped) => server.close(() => stopped()));
    },
  };
}

/** Returns all bytes, or those received before the connection was cut. */
async function received(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > most) request.socket.destroy();
    }
  } catch {
    // The function ended in the middle of its response, so the received part is the response.
  }
  return Buffer.concat(chunks);
}
