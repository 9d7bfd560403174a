import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { mockProvider } from '#core/models/providers/mock.ts';
import type { ProviderCall } from '#core/models/providers/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { providerEntry } from '../../../support/provider-entry.ts';

/** Pauses that were asked for; each ends at once, or never. */
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
async function streamed(body: JsonObject, more: Partial<ProviderEntry> = {}, own = world()) {
  const reply = await mockProvider(entry(more), own).call(call({ ...body, stream: true }));
  if (reply.type !== 'stream') throw new Error('no stream');
  const events: JsonObject[] = [];
  for await (const event of reply.events) events.push(event);
  return events;
}
const script = (...replies: object[]) => ({ script: { replies } as unknown as NonNullable<ProviderEntry['script']> });

test('the same request gets the same reply, another one another', async () => {
  const first = await json(asked('What is up?'));
  expect(first).toMatchObject({
    object: 'chat.completion',
    model: 'mock',
    choices: [{ message: { role: 'assistant', content: 'Mock reply to: What is up?' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 },
  });
  expect(await json(asked('What is up?'))).toEqual(first);
  expect((await json(asked('What is up!'))).id).not.toBe(first.id);
});

test('it answers the last user message, cut at 200 characters and never within one', async () => {
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

test('a stream says word by word what the reply says, and counts where it is asked to', async () => {
  const whole = await json(asked('one two  three'));
  const events = await streamed(asked('one two  three', { stream_options: { include_usage: true } }));
  const collector = dialects.openai.collector();
  for (const event of events) collector.add(event);
  expect(collector.reply()).toMatchObject({ choices: [{ message: { content: 'Mock reply to: one two  three' } }] });
  expect(events).toHaveLength(1 + 6 + 1 + 1);
  expect(events.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  expect(events[0]!.id).toBe(whole.id);
  expect((await streamed(asked('one two  three'))).at(-1)).not.toHaveProperty('usage');
});

test('max_tokens cuts it, n multiplies it', async () => {
  const cut = await json(asked('Hello', { max_tokens: 2 }));
  expect(cut.choices[0]).toMatchObject({ message: { content: 'Mock rep' }, finish_reason: 'length' });
  const three = await json(asked('Hello', { n: 3 }));
  expect(three.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
  const events = await streamed(asked('Hello', { n: 2 }));
  expect(new Set(events.map((event) => (event.choices as JsonObject[])[0]!.index))).toEqual(new Set([0, 1]));
});

test('scripted replies are chosen by what the message contains; tools are called only then', async () => {
  const scripted = script(
    { contains: 'weather', tool_calls: [{ name: 'get_weather', arguments: { city: 'Bern' } }] },
    { contains: '', text: 'scripted' },
  );
  const offered = { tools: [{ type: 'function', function: { name: 'get_weather' } }] };
  expect((await json(asked('hello', offered))).choices[0].message.tool_calls).toBeUndefined();
  const called = await json(asked('the weather?', offered), scripted);
  expect(called.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }],
    },
  });
  const collector = dialects.openai.collector();
  for (const event of await streamed(asked('the weather?', offered), scripted)) collector.add(event);
  expect(JSON.stringify(collector.reply())).toContain('get_weather');
  expect((await json(asked('else'), scripted)).choices[0].message.content).toBe('scripted');
});

test('scripted failures: a status, a broken stream, one that breaks before it begins', async () => {
  await expect(json(asked('x'), script({ status: 503 }))).rejects.toMatchObject({ kind: 'status', status: 503 });
  await expect(json(asked('x'), script({ status: 400 }))).rejects.toMatchObject({ shown: 'scripted to answer 400' });
  await expect(streamed(asked('x'), script({ break_after: 2 }))).rejects.toMatchObject({ kind: 'broken' });
  await expect(streamed(asked('x'), script({ break_after: 0 }))).rejects.toMatchObject({ kind: 'broken' });
});

test('latency is waited for, longer than the time-out is one, and an abort ends both', async () => {
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

test('a pace puts pauses between chunks', async () => {
  const own = world();
  const paced = { script: { replies: [], tokens_per_second: 50 } };
  const events = await streamed(asked('one two'), paced, own);
  expect(own.pauses).toEqual(Array(events.length - 1).fill(20));
});
