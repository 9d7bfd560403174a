import type { JsonObject } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { sse } from '#lambdas/middleware/sse.ts';

const never: Timeouts = { after: () => () => {} };

async function* of(...events: JsonObject[]) {
  yield* events;
}

async function text(chunks: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk;
  return all;
}

test('a completed stream ends the way its API dialect requires', async () => {
  expect(await text(sse(of({ a: 1 }), dialects.openai, never))).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
  expect(await text(sse(of({ type: 'message_stop' }), dialects.anthropic, never))).toBe(
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  );
});

test('a failed stream does not end like a completed one', async () => {
  expect(await text(sse(of({ error: { message: 'x' } }), dialects.openai, never))).not.toContain('[DONE]');
});

test('a keep-alive comment is sent while the model is silent, and no event is lost', async () => {
  const rings: (() => void)[] = [];
  const timeouts: Timeouts = {
    after(_ms, work) {
      rings.push(work);
      return () => {};
    },
  };
  const late = Promise.withResolvers<void>();
  async function* slow() {
    await late.promise;
    yield { a: 1 };
  }
  const frames = sse(slow(), dialects.openai, timeouts)[Symbol.asyncIterator]();
  const first = frames.next();
  await Promise.resolve();
  rings.at(-1)?.();
  expect((await first).value).toBe(': ping\n\n');
  late.resolve();
  expect((await frames.next()).value).toBe('data: {"a":1}\n\n');
});

test('the source is closed when the client disconnects', async () => {
  let ended = false;
  const iterator: AsyncIterator<JsonObject> = {
    next: async () => ({ done: false, value: {} }),
    return: async () => {
      ended = true;
      return { done: true, value: undefined };
    },
  };
  const source = { [Symbol.asyncIterator]: () => iterator };
  const frames = sse(source, dialects.openai, never)[Symbol.asyncIterator]();
  await frames.next();
  await frames.return?.();
  expect(ended).toBe(true);
  expect(await frames.next()).toEqual({ done: true, value: undefined });
});
