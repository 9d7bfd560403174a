/** Details of each provider kind; the common behaviour is tested in test/contract/providers.test.ts. */
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ProviderCall } from '#core/models/providers/ports.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import {
  type FakeKind,
  type FakeProvider,
  jsonReply,
  piecesOf,
  say,
  startFakeProvider,
  stream,
} from '../../../support/fake-providers.ts';
import { anthropicForm, ollamaForm, openaiForm } from '../../../support/fake-providers-forms.ts';
import { providerEntry } from '../../../support/provider-entry.ts';

const fakes = new Map<FakeKind, FakeProvider>();
beforeAll(async () => {
  for (const kind of ['openai', 'anthropic', 'ollama'] as const) fakes.set(kind, await startFakeProvider({ kind }));
});
afterAll(() => Promise.all([...fakes.values()].map((fake) => fake.stop())));

const providers = providersFrom({
  http: httpCall,
  bedrock: undefined,
  secrets: { get: async () => undefined },
  clock: systemClock,
  timeouts: systemTimeouts,
});
const entryFor = (kind: FakeKind, more: Partial<ProviderEntry> = {}) =>
  providerEntry({ name: 'p', type: kind, base_url: fakes.get(kind)!.baseUrl, ...more });

async function ask(
  kind: FakeKind,
  body: JsonObject,
  more: Partial<ProviderCall> = {},
  changed: Partial<ProviderEntry> = {},
) {
  const provider = await providers.get(entryFor(kind, changed));
  const signal = new AbortController().signal;
  return provider.call({ model: 'm-1', body, stream: body.stream === true, headers: {}, signal, ...more });
}
async function read(reply: Awaited<ReturnType<typeof ask>>): Promise<JsonObject[]> {
  if (reply.type !== 'stream') throw new Error('no stream');
  const events: JsonObject[] = [];
  for await (const event of reply.events) events.push(event);
  return events;
}
const hi = [{ role: 'user', content: 'Hi' }];

describe('openai', () => {
  const fake = () => fakes.get('openai')!;

  test('unknown fields pass through in both directions, and a server without a key gets no authorization header', async () => {
    fake().answers(jsonReply({ choices: [{ message: { role: 'assistant', content: 'x', new: 1 } }], x_new: { a: 1 } }));
    const reply = await ask('openai', { model: 'alias', messages: hi, x_field: [1], stream: false });
    expect(fake().requests[0]!.body).toEqual({ model: 'm-1', messages: hi, x_field: [1] });
    expect(fake().requests[0]!.headers).not.toHaveProperty('authorization');
    expect(fake().requests[0]!.headers).toHaveProperty('accept-encoding', 'identity');
    expect(reply).toMatchObject({ body: { x_new: { a: 1 }, choices: [{ message: { new: 1 } }] } });
  });

  test('the path and query of a base URL are kept', async () => {
    fake().answers(say());
    const base_url = `${fake().url}/deployments/d1/?api-version=7`;
    await ask('openai', { messages: hi }, {}, { base_url });
    expect(fake().requests[0]!.path).toBe('/deployments/d1/chat/completions?api-version=7');
  });

  test('[dialects.unknown-end] a two-choice stream is complete only after both choices finish, and no [DONE] is needed', async () => {
    const { openaiWire } = await import('#core/models/providers/openai.ts');
    const chunk = (index: number, finish_reason: string | null) => ({
      data: JSON.stringify({ choices: [{ index, delta: {}, finish_reason }] }),
      event: undefined,
    });
    const readerFor = (n?: number) => openaiWire.stream({ body: { ...(n && { n }) } } as unknown as ProviderCall);
    const two = readerFor(2);
    two.read(chunk(0, 'stop') as never);
    two.read(chunk(1, null) as never);
    expect(two.complete).toBe(false);
    two.read(chunk(1, 'stop') as never);
    expect(two.complete).toBe(true);
    const one = readerFor();
    // Some servers send an empty reason with every chunk.
    expect(one.read(chunk(0, '') as never)).toMatchObject([{ choices: [{ finish_reason: null }] }]);
    expect(one.complete).toBe(false);
    one.read(chunk(0, 'stop') as never);
    expect(one.complete).toBe(true);
  });

  test('a stream that lacks only [DONE] has ended properly', async () => {
    fake().answers(stream(piecesOf('openai', { text: 'one' }).slice(0, -1)));
    expect(await read(await ask('openai', { messages: hi, stream: true }))).toHaveLength(4);
  });

  test('parses comments, CRLF, a byte order mark and data without a space after the colon, split at every byte', async () => {
    const chunk = { id: 'c', choices: [{ index: 0, delta: { content: '日本🙂' }, finish_reason: null }] };
    const text = `\uFEFF: hello\r\ndata:${JSON.stringify(chunk)}\r\n\r\n: ping\n\ndata: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
    const bytes = [...Buffer.from(text)].map((byte) => Uint8Array.of(byte));
    fake().answers(stream(bytes));
    expect(await read(await ask('openai', { messages: hi, stream: true }))).toEqual([chunk, chunk]);
  });

  test('[chat.completions] keep-alive events with empty data and pings are not treated as chunks', async () => {
    const [first, ...rest] = piecesOf('openai', { text: ['one', 'two'] });
    fake().answers(stream(['data:\n\n', 'event: ping\ndata: {}\n\n', first!, 'data: \n\n', ...rest]));
    const said = await read(await ask('openai', { messages: hi, stream: true }));
    fake().answers(stream([first!, ...rest]));
    expect(said).toEqual(await read(await ask('openai', { messages: hi, stream: true })));
  });

  test('[chat.completions] chunks without choices, index or delta, and with an empty role, are completed', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunks = [
      { choices: [{ index: 0, delta: { role: '', content: 'x' }, finish_reason: null }] },
      { choices: [{ delta: { role: 'assistant', content: 'y' }, finish_reason: null }] },
      { choices: [{ index: 0, finish_reason: null, content_filter_offsets: { start_offset: 0 } }] },
      { choices: [{ index: 0, delta: null, finish_reason: 'stop' }] },
      { usage },
      { choices: null, usage },
    ];
    fake().answers(stream([...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']));
    expect(await read(await ask('openai', { messages: hi, stream: true }))).toEqual([
      { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: { role: 'assistant', content: 'y' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: null, content_filter_offsets: { start_offset: 0 } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
      { choices: [], usage },
    ]);
  });

  test('an error field that is null is not an error', async () => {
    fake().answers(jsonReply({ error: null, choices: [{ message: { content: 'x' } }] }));
    await expect(ask('openai', { messages: hi })).resolves.toMatchObject({ type: 'json' });
  });
});

describe('anthropic', () => {
  const fake = () => fakes.get('anthropic')!;

  test('sends version and beta headers, and does not repeat a version that the base URL already contains', async () => {
    fake().answers(say());
    const headers = { 'anthropic-beta': 'a-1,b-2' };
    await ask('anthropic', { max_tokens: 5, messages: hi }, { headers }, { base_url: `${fake().url}/proxy/v1` });
    expect(fake().requests[0]).toMatchObject({
      path: '/proxy/v1/messages',
      headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1,b-2' },
    });
    expect(fake().requests[0]!.headers).not.toHaveProperty('x-api-key');
  });

  test('an event whose type appears only in its event name is read like any other', async () => {
    const pieces = piecesOf('anthropic', { text: ['one', 'two'] }) as { event: { type: string } }[];
    const named = pieces.map(({ event: { type, ...data } }) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    const asked = { max_tokens: 5, messages: hi, stream: true };
    fake().answers(stream(pieces));
    const said = await read(await ask('anthropic', asked));
    fake().answers(stream(named));
    expect(await read(await ask('anthropic', asked))).toEqual(said);
  });

  test('a repeated message_start is dropped, and everything else passes in order', async () => {
    const [start, ...rest] = piecesOf('anthropic', { text: ['one', 'two'] });
    const said = async () => read(await ask('anthropic', { max_tokens: 5, messages: hi, stream: true }));
    fake().answers(stream([start!, ...rest]));
    const once = await said();
    expect(once[0]).toMatchObject({ type: 'message_start' });
    fake().answers(stream([start!, start!, rest[0]!, start!, ...rest.slice(1)]));
    expect(await said()).toEqual(once);
  });
});

describe('ollama', () => {
  const fake = () => fakes.get('ollama')!;

  test('allowed_tools sends only those tools, and an unknown finish reason counts as truncated', async () => {
    const tools = ['x', 'y'].map((name) => ({ type: 'function', function: { name } }));
    fake().answers(
      jsonReply({ model: 'm', message: { role: 'assistant', content: 'x' }, done: true, done_reason: 'something_new' }),
    );
    const reply = await ask('ollama', {
      messages: hi,
      tools,
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tools[0]!] } },
    });
    expect(fake().requests.at(-1)!.body).toMatchObject({ tools: [tools[0]] });
    expect(reply).toMatchObject({ body: { choices: [{ finish_reason: 'length' }] } });
  });

  test('an image given by URL is refused without calling the provider', async () => {
    fake().answers(say());
    const content = [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } }];
    await expect(ask('ollama', { messages: [{ role: 'user', content }] })).rejects.toMatchObject({
      kind: 'status',
      status: 400,
      shown: expect.stringContaining('data:image'),
    });
    expect(fake().requests).toHaveLength(0);
  });

  test('thinking and a truncated response with missing counts are returned in OpenAI format', async () => {
    const created_at = '2026-01-01T00:00:00Z';
    const message = { role: 'assistant', content: 'cut', thinking: 'hm' };
    fake().answers(jsonReply({ model: 'm', created_at, message, done: true, done_reason: 'length', eval_count: 3 }));
    expect(await ask('ollama', { messages: hi })).toMatchObject({
      body: {
        object: 'chat.completion',
        created: Date.parse(created_at) / 1000,
        choices: [{ message: { content: 'cut', reasoning_content: 'hm' }, finish_reason: 'length' }],
        usage: { completion_tokens: 3 },
      },
    });
  });

  test('a stream keeps one id, numbers its tool calls, and reports token counts if requested', async () => {
    const toolCalls = [1, 2].map((n) => ({ id: `c${n}`, name: 'f', input: { n } }));
    fake().answers(say('one', { toolCalls }));
    const events = await read(
      await ask('ollama', { messages: hi, stream: true, stream_options: { include_usage: true } }),
    );
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    const calls = events.flatMap((event) =>
      (event.choices as JsonObject[]).flatMap(({ delta }) => (delta as JsonObject).tool_calls ?? []),
    );
    expect(calls).toMatchObject([
      { index: 0, function: { name: 'f', arguments: '{"n":1}' } },
      { index: 1, function: { name: 'f', arguments: '{"n":2}' } },
    ]);
    expect(events.at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
    expect(events.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7 } });
    const uncounted = await read(await ask('ollama', { messages: hi, stream: true }));
    expect(uncounted.at(-1)).not.toHaveProperty('usage');
  });

  test('parses lines split at every byte, including a last line without a line ending', async () => {
    const pieces = piecesOf('ollama', { text: ['日本🙂'] }) as { event: object }[];
    const text = pieces.map(({ event }) => JSON.stringify(event)).join('\r\n\n');
    fake().answers(stream([...Buffer.from(text)].map((byte) => Uint8Array.of(byte))));
    const events = await read(await ask('ollama', { messages: hi, stream: true }));
    expect(JSON.stringify(events)).toContain('日本🙂');
  });
});

const wholeForms = { openai: openaiForm, anthropic: anthropicForm, ollama: ollamaForm };

test.each(['openai', 'anthropic', 'ollama'] as const)(
  '[chat.provider-error] %s: a complete reply in place of a stream is replayed, and an error in its place is a refusal',
  async (kind) => {
    const fake = fakes.get(kind)!;
    const asked = { max_tokens: 5, messages: hi, stream: true };
    fake.answers(jsonReply(wholeForms[kind].whole({ text: 'one two' })));
    const replayed = JSON.stringify(await read(await ask(kind, asked)));
    expect(replayed).toContain('one two');
    fake.answers(jsonReply({ error: { type: 'rate_limit_error', message: 'slow down' } }));
    await expect(ask(kind, asked)).rejects.toMatchObject({ kind: 'status', status: 429 });
  },
);

test('a bedrock entry is unavailable without a client', async () => {
  const provider = await providers.get(providerEntry({ name: 'b', type: 'bedrock', region: 'eu-west-1' }));
  expect(provider.address).toEqual({ host: 'bedrock-runtime.eu-west-1.amazonaws.com', port: 443 });
  const { signal } = new AbortController();
  const call = provider.call({ model: 'm', body: { messages: [] }, stream: false, headers: {}, signal });
  await expect(call).rejects.toMatchObject({ kind: 'unavailable' });
});

test.each([
  ['response.completed', 'stop'],
  ['response.incomplete', 'length'],
])('[dialects.unknown-end] %s without a status ends with finish_reason %s', async (type, finish_reason) => {
  const { responsesWire } = await import('#core/models/providers/responses-wire.ts');
  const reader = responsesWire.stream({} as ProviderCall);
  const chunks = reader.read({ data: JSON.stringify({ type, response: { id: 'r', output: [] } }) } as never);
  expect(chunks).toContainEqual(expect.objectContaining({ choices: [{ index: 0, delta: {}, finish_reason }] }));
});

test('on reload, an unchanged entry keeps its provider and a changed entry gets a new one', async () => {
  const entry = entryFor('openai');
  const first = await providers.get(entry);
  expect(await providers.get({ ...entry })).toBe(first);
  expect(await providers.get({ ...entry, timeout_ms: 5 })).not.toBe(first);
});
