import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { mockProvider } from '#core/models/providers/mock.ts';
import type { ProviderCall } from '#core/models/providers/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { providerEntry } from '../../../support/provider-entry.ts';

/** Returns a timer that records the requested pauses; each ends immediately or never. */
function world({ asleep = false } = {}) {
  const pauses: number[] = [];
  const timeouts = {
    after(ms: number, work: () => void) {
      pauses.push(ms);
      if (!asleep) queueMicrotask(work);
      return () => {};
    },
  };
  return { pauses, timeouts, clock: { now: () => 1_700_000_000_000 } };
}

const entry = (more: Partial<ProviderEntry> = {}) => providerEntry({ name: 'mock', type: 'mock', ...more });
const asked = (content: unknown, more: JsonObject = {}): JsonObject =>
  ({ model: 'mock', messages: [{ role: 'user', content }], ...more }) as JsonObject;
const call = (body: JsonObject, more: Partial<ProviderCall> = {}): ProviderCall => ({
  model: 'mock',
  body,
  stream: body.stream === true,
  headers: {},
  signal: new AbortController().signal,
  ...more,
});

async function json(body: JsonObject, more: Partial<ProviderEntry> = {}) {
  const reply = await mockProvider(entry(more), world()).call(call(body));
  if (reply.type !== 'json') throw new Error('no JSON');
  return reply.body as Loose;
}

test('repeats the last user message, truncated to 200 characters without splitting a character', async () => {
  const body = {
    model: 'mock',
    messages: [
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'between' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '🙂'.repeat(300) },
          { type: 'image_url', image_url: { url: 'x' } },
        ],
      },
    ],
  };
  expect((await json(body)).choices[0].message.content).toBe(`Mock reply to: ${'🙂'.repeat(200)}`);
  expect((await json({ model: 'mock', messages: [] })).choices[0].message.content).toBe('Mock reply.');
});

test('simulates latency, times out if the latency exceeds the limit, and stops when aborted', async () => {
  const own = world();
  await mockProvider(entry({ latency_ms: 250 }), own).call(call(asked('x')));
  expect(own.pauses).toEqual([250]);
  const slow = mockProvider(entry({ latency_ms: 250, timeout_ms: 100 }), own);
  await expect(slow.call(call(asked('x')))).rejects.toMatchObject({ kind: 'timeout' });
  const leaving = new AbortController();
  const waiting = mockProvider(entry({ latency_ms: 250 }), world({ asleep: true })).call(
    call(asked('x'), { signal: leaving.signal }),
  );
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
});
