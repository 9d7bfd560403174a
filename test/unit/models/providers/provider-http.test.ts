import { getEventListeners, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { httpCall } from '#adapters/http/provider-http.ts';
import { HttpFault, type HttpRequest } from '#core/models/providers/http.ts';
import {
  body,
  endless,
  type FakeProvider,
  reset,
  say,
  silent,
  startFakeProvider,
} from '../../../support/fake-providers.ts';

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
});
afterEach(() => fake.stop());

const call = (more: Partial<HttpRequest> = {}) =>
  httpCall({
    url: `${fake.url}/v1/chat/completions`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: new AbortController().signal,
    // On a busy machine even a fake may respond late.
    firstByteTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    ...more,
  });
const faultOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (fault: unknown) => (fault instanceof HttpFault ? fault.kind : fault),
  );

test('if the server resets a reused connection before replying, the call is sent once more on a new one', async () => {
  fake.answers([say(), reset, say('again')]);
  await (await call()).text(1000);
  await expect((await call()).text(1000)).resolves.toContain('again');
  expect(fake.requests).toHaveLength(3);
});

test('a call is resent at most once, and never if its connection was new', async () => {
  fake.answers([say(), reset, reset, say()]);
  await (await call()).text(1000);
  await expect(faultOf(call())).resolves.toBe('unreachable');
  expect(fake.requests).toHaveLength(3);
  fake.answers([reset, say()]);
  await expect(faultOf(call())).resolves.toBe('unreachable');
  expect(fake.requests).toHaveLength(1);
});

describe('[provider.encoded-reply] a compressed reply', () => {
  const compressed = (encoding: string, bytes: Uint8Array) =>
    body([bytes], { headers: { 'content-type': 'application/json', 'content-encoding': encoding } });
  const text = JSON.stringify({ text: 'Grüße 🙂 '.repeat(2000) });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('a reply compressed with %s is decompressed and read', async (encoding, compress) => {
    fake.answers(compressed(encoding, compress(Buffer.from(text))));
    const reply = await call();
    expect(reply.headers).not.toHaveProperty('content-encoding');
    expect(await reply.text(100_000)).toBe(text);
    expect(fake.requests[0]!.headers['accept-encoding']).toBe('identity');
  });

  test('a reply that expands beyond the limit, is truncated or is not really compressed is an error', async () => {
    fake.answers(compressed('gzip', gzipSync(Buffer.alloc(50_000_000))));
    expect(await faultOf((await call()).text(100_000))).toBe('too-large');
    fake.answers(compressed('gzip', gzipSync(text).subarray(0, 40)));
    expect(await faultOf((await call()).text(100_000))).toBe('broken');
    fake.answers(compressed('br', Buffer.from('<html>')));
    expect(await faultOf((await call()).text(100_000))).toBe('broken');
  });

  test('a compressed stream is read chunk by chunk', async () => {
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    const written: Buffer[] = [];
    gzip.on('data', (chunk: Buffer) => written.push(chunk));
    const part = async (said: string) => {
      await new Promise<void>((done) => void gzip.write(said, () => gzip.flush(() => done())));
      return Buffer.concat(written.splice(0));
    };
    const later = Promise.withResolvers<void>();
    fake.answers(
      body([await part('data: one\n\n'), later.promise, await part('data: two\n\n')], {
        headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
        ending: 'open',
      }),
    );
    const reply = await call();
    const chunks = reply.body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('data: one\n\n');
    later.resolve();
    expect(String((await chunks.next()).value)).toBe('data: two\n\n');
    reply.body.close();
    await fake.requests[0]!.closed;
  });
});

test('a body above the size limit causes its connection to be closed', async () => {
  fake.answers(endless('x'.repeat(10_000)));
  const reply = await call();
  await expect(faultOf(reply.text(100_000))).resolves.toBe('too-large');
  await fake.requests[0]!.closed;
});

test('a slow reader slows down the sender and does not time out', async () => {
  fake.answers(endless('x'.repeat(64 * 1024)));
  const reply = await call({ idleTimeoutMs: 30 });
  const { closed } = fake.requests[0]!;
  const chunks = reply.body[Symbol.asyncIterator]();
  await chunks.next();
  const before = process.memoryUsage().arrayBuffers;
  // The same timeout elsewhere expires twice before this reader requests more.
  fake.answers(silent);
  for (const _ of [1, 2]) await expect(faultOf(call({ firstByteTimeoutMs: 30 }))).resolves.toBe('timeout');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  await expect(chunks.next()).resolves.toMatchObject({ done: false });
  reply.body.close();
  await closed;
});

test('the rest of a released body is read and its connection reused, unless the rest is endless', async () => {
  fake.answers(body(['first', ' and last']));
  const reply = await call();
  await reply.body[Symbol.asyncIterator]().next();
  reply.body.release();
  fake.answers(endless('x'.repeat(10_000)));
  const other = await call();
  await other.body[Symbol.asyncIterator]().next();
  other.body.release();
  await fake.requests[0]!.closed;
});

test('a silent server causes a timeout, and an aborted call is not sent', async () => {
  const sockets: Socket[] = [];
  const deaf = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  deaf.listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const url = `http://127.0.0.1:${(deaf.address() as AddressInfo).port}/`;
  await expect(faultOf(call({ url, firstByteTimeoutMs: 40 }))).resolves.toBe('timeout');
  await expect(faultOf(call({ signal: AbortSignal.abort() }))).resolves.toBe('aborted');
  expect(fake.requests).toHaveLength(0);
  for (const socket of sockets) socket.destroy();
  deaf.close();
});

test('a finished call leaves no listener on its abort signal', async () => {
  const { signal } = new AbortController();
  fake.answers([say(), reset]);
  await (await call({ signal })).text(1000);
  await faultOf(call({ signal }));
  await new Promise(setImmediate);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test.each([
  ['retry-after-ms', { 'retry-after-ms': '1500' }, 2],
  ["Azure's own name", { 'x-ms-retry-after-ms': '200' }, 1],
  ['both, where the milliseconds come first', { 'retry-after-ms': '2000', 'retry-after': '30' }, 2],
  ['milliseconds that are not a number, and seconds', { 'retry-after-ms': 'soon', 'retry-after': '30' }, 30],
  ['nothing usable', { 'retry-after-ms': '-1' }, undefined],
])('[chat.provider-error] a retry-after header in milliseconds is read', async (_, headers, seconds) => {
  fake.answers(body([], { status: 429, headers }));
  expect((await call()).retryAfterSeconds).toBe(seconds);
});
