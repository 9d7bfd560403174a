/**
 * Responses of the local listener, including streamed ones, and the abort signal of a call whose client disconnects.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { get, head, logged, raw, server, serverOf, streams } from '../support/raw-http.ts';

describe('answers', () => {
  test('HEAD returns the same headers as GET and no body', async () => {
    const { body, ...answer } = await raw(head('HEAD /things', 'Host: localhost', 'Connection: close'));
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(100);
  });

  test('HEAD on a stream closes the source', async () => {
    expect((await raw(head('HEAD /stream', 'Host: localhost', 'Connection: close'))).status).toBe(200);
  });

  test.each(['/fault', '/broken-header'])('a failing handler returns a 500 without details: %s', async (path) => {
    const { status, text, body } = await get(path);
    expect([status, body.error.type]).toEqual([500, 'server_error']);
    expect(text).not.toMatch(/secret detail|ERR_/);
    expect(logged.join()).toContain(body.error.type === 'server_error' ? 'A request failed.' : '');
  });

  test('typed errors include Retry-After', async () => {
    const limited = await serverOf({
      handlers: Promise.resolve({
        observatory: async () => {
          throw new GatewayError('rate_limit_error', 'Slow down.', { retryAfterSeconds: 7 });
        },
      }),
    });
    const answer = await raw(head('GET /things', 'Host: localhost'), limited.port);
    expect([answer.status, answer.headers['retry-after'], answer.body.error.type]).toEqual([
      429,
      '7',
      'rate_limit_error',
    ]);
    await limited.drain(0);
  });

  test('streams with backpressure, and closes the source when the client disconnects', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(head('GET /stream', 'Host: localhost'));
    await once(socket, 'data');
    const stream = streams.at(-1)!;
    socket.pause();
    const closed = new Promise<void>((resolve) => (stream.release = resolve));
    socket.destroy();
    await closed;
    expect(stream).toMatchObject({ closed: 1 });
    expect(stream.opened).toBeLessThan(1000); // an endless source without a reader was stopped
  });

  test('[edge.hostile] a large body is sent in full to a client that reads it; the connection is closed for a client that does not', async () => {
    const bytes = 24 * 1024 * 1024;
    const ended = Promise.withResolvers<void>();
    async function* endless() {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        ended.resolve();
      }
    }
    const bodies = ['x'.repeat(bytes), endless()];
    const large = await serverOf({
      stalledMs: 3_000,
      handlers: Promise.resolve({
        observatory: async () => ({ statusCode: 200, headers: {}, body: bodies.shift()! }),
      }),
    });
    const asking = () => {
      const socket = connect(large.port, '127.0.0.1').on('error', () => {});
      socket.write(head('GET /things', 'Host: localhost'));
      return socket;
    };
    const reading = asking();
    let read = 0;
    await new Promise<void>((resolve) => {
      reading.once('close', resolve).on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > bytes) resolve();
      });
    });
    expect([read > bytes, reading.destroyed]).toEqual([true, false]);
    const deaf = asking().pause();
    await ended.promise;
    await once(deaf.resume(), 'close'); // data still in the kernel's buffer can be read
    reading.destroy();
    await large.drain(0);
  });

  test('handles several requests on one connection, including refused ones', async () => {
    const line = (path: string, ...headers: string[]) => head(`GET ${path}`, 'Host: localhost', ...headers);
    const socket = connect(server.port, '127.0.0.1');
    socket.end(line('/nothing') + line('/things') + line('/fault') + line('/things', 'Connection: close'));
    let all = '';
    for await (const text of socket.setEncoding('latin1')) all += text;
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(['404', '200', '500', '200'].map((code) => `HTTP/1.1 ${code}`));
  });
});
describe('a streamed reply', () => {
  /** Starts a listener with the test's own handler. */
  const serving = (handler: HttpHandler, more: object = {}) =>
    serverOf({ handlers: Promise.resolve({ observatory: handler }), ...more });
  const events = (body: AsyncIterable<string>): HttpReply => ({
    statusCode: 200,
    headers: { 'content-type': 'text/event-stream', 'content-length': '3' },
    body,
  });
  /** Builds a body whose chunks the test sends one by one. */
  function scripted() {
    const wanted = [Promise.withResolvers<IteratorResult<string>>()];
    let asked = 0;
    const give = (result: IteratorResult<string>) => {
      wanted.at(-1)?.resolve(result);
      wanted.push(Promise.withResolvers());
    };
    const returned = Promise.withResolvers<void>();
    const iterator = {
      next: () => wanted[asked++]!.promise,
      return: async () => {
        returned.resolve();
        return { done: true as const, value: undefined };
      },
    };
    return {
      body: { [Symbol.asyncIterator]: () => iterator },
      say: (value: string) => give({ done: false, value }),
      end: () => give({ done: true, value: undefined }),
      fail: (fault: Error) => wanted.at(-1)?.reject(fault),
      returned: returned.promise,
    };
  }
  /** Opens a client that reads until it has seen a given string. */
  async function client(port: number, path = '/things', ...headers: string[]) {
    const socket = connect(port, '127.0.0.1');
    socket.setEncoding('latin1');
    let all = '';
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(all)));
    socket.on('error', () => {});
    let look = () => {};
    socket.on('data', (text: string) => {
      all += text;
      look();
    });
    const request = () => socket.write(head(`GET ${path}`, 'Host: localhost', ...headers));
    request();
    return {
      socket,
      request,
      closed,
      seen: (text: string) =>
        new Promise<string>((resolve) => {
          look = () => all.includes(text) && resolve(all);
          look();
        }),
    };
  }

  test('sends the headers before the first chunk, then each chunk as it arrives; the connection stays open', async () => {
    const scripts = [scripted(), scripted()] as const;
    const bodies = [...scripts];
    const streaming = await serving(async () => events(bodies.shift()!.body));
    const { seen, request, socket } = await client(streaming.port);
    const headers = await seen('\r\n\r\n');
    expect(headers).toMatch(/^HTTP\/1.1 200/);
    expect(headers).toMatch(/transfer-encoding: chunked/i);
    expect(headers).toMatch(/x-accel-buffering: no/i);
    expect(headers).toMatch(/cache-control: no-store/i);
    expect(headers).not.toMatch(/content-length/i);
    scripts[0].say('data: é\n\n');
    await seen('a\r\ndata: Ã©\n\n');
    scripts[0].say(''); // an empty chunk, but not the end
    scripts[0].say('data: two\n\n');
    await seen('data: two\n\n');
    scripts[0].end();
    await seen('0\r\n\r\n');
    request();
    scripts[1].say('data: three\n\n');
    await seen('data: three\n\n');
    scripts[1].end();
    socket.destroy();
    await streaming.drain(0);
  });

  test('a client disconnect closes the source without waiting for its next chunk and aborts the signal', async () => {
    const script = scripted();
    const signals: AbortSignal[] = [];
    const streaming = await serving(async (_, { signal }) => {
      signals.push(signal!);
      return events(script.body);
    });
    const { seen, socket } = await client(streaming.port);
    script.say('data: one\n\n');
    await seen('data: one');
    socket.destroy();
    await script.returned;
    await aborted(signals[0]!);
    await streaming.drain(0);
  });

  test('a failing source closes the connection so that a partial response is not mistaken for a complete one', async () => {
    const script = scripted();
    const streaming = await serving(async () => events(script.body));
    const { seen, closed } = await client(streaming.port);
    script.say('data: one\n\n');
    await seen('data: one');
    script.fail(new Error('secret detail'));
    const all = await closed;
    expect(all).not.toContain('0\r\n\r\n');
    expect(all).not.toContain('secret detail');
    expect(logged.at(-1)).toContain('A request failed.');
    await streaming.drain(0);
  });

  test('a source that fails immediately returns a typed error', async () => {
    const streaming = await serving(async () =>
      events({
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.reject(new GatewayError('provider_timeout', 'The provider said nothing.')),
        }),
      }),
    );
    const answer = await raw(head('GET /things', 'Host: localhost'), streaming.port);
    expect([answer.status, answer.body.error.type]).toEqual([504, 'provider_timeout']);
    await streaming.drain(0);
  });

  test("may take longer than a request: that limit is for the client's upload", async () => {
    const script = scripted();
    // Long enough for a whole request to arrive while the machine is busy.
    const limits = { headersTimeoutMs: 2_000, requestTimeoutMs: 2_000 };
    const streaming = await serving(async () => events(script.body), limits);
    const { seen, socket } = await client(streaming.port);
    script.say('data: one\n\n');
    await seen('data: one');
    for (let late = 0; late < 2; late++) {
      const slowClient = await raw('GET /things HTTP/1.1\r\nHost: localhost\r\n', streaming.port);
      expect(slowClient.status).toBe(400);
    }
    script.say('data: two\n\n');
    await seen('data: two');
    script.end();
    await seen('0\r\n\r\n');
    socket.destroy();
    await streaming.drain(0);
  });

  test('a slow reader still gets the whole response', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => `${n}:${'ü'.repeat(10_000)}\n`);
    const streaming = await serving(async () => ({
      statusCode: 200,
      headers: { 'content-type': 'text/plain' },
      body: (async function* () {
        yield* lines;
      })(),
    }));
    const answer = await fetch(`http://127.0.0.1:${streaming.port}/things`);
    let text = '';
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) text += part;
    expect(text).toBe(lines.join(''));
    await streaming.drain(0);
  });
});
const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve());
  });
describe('the abort signal of a request', () => {
  test('fires for each pending call on the connection if the client disconnects before the first byte', async () => {
    const signals: AbortSignal[] = [];
    const both = Promise.withResolvers<void>();
    const waiting = await serverOf({
      handlers: Promise.resolve({
        observatory: async (_: HttpEvent, { signal }: { signal: AbortSignal }) => {
          signals.push(signal);
          if (signals.length === 2) both.resolve();
          await aborted(signal);
          return { statusCode: 200, headers: {}, body: 'nobody reads this' };
        },
      }),
    });
    const socket = connect(waiting.port, '127.0.0.1');
    socket.write(head('GET /things', 'Host: localhost').repeat(2));
    await both.promise;
    socket.destroy();
    await Promise.all(signals.map(aborted));
    await waiting.drain(0);
  });

  test('stays unaborted once the response is complete, whatever the client does afterwards', async () => {
    const signals: AbortSignal[] = [];
    const answering = await serverOf({
      handlers: Promise.resolve({
        observatory: async (_: HttpEvent, { signal }: { signal: AbortSignal }) => {
          signals.push(signal);
          return { statusCode: 200, headers: {}, body: 'done' };
        },
      }),
    });
    await raw(head('GET /things', 'Host: localhost'), answering.port); // closes once it has read the response
    await answering.drain(0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });
});
