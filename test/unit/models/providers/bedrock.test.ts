import { lazyBedrock } from '#adapters/aws/bedrock.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { bedrockProvider } from '#core/models/providers/bedrock.ts';
import type { Bedrock } from '#core/models/providers/bedrock-port.ts';
import { converseEvents, converseReply } from '#core/models/providers/bedrock-reply.ts';
import { converseInput, converseLeftOut } from '#core/models/providers/bedrock-request.ts';
import type { ProviderCall } from '#core/models/providers/ports.ts';
import { BadReply } from '#core/models/providers/reply.ts';
import { say, startFakeProvider } from '../../../support/fake-providers.ts';
import { providerEntry } from '../../../support/provider-entry.ts';

const call = (body: JsonObject, headers: Record<string, string> = {}): ProviderCall => ({
  model: 'anthropic.claude-x',
  body,
  stream: body.stream === true,
  headers,
  signal: new AbortController().signal,
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

describe('[providers.converse-messages] Converse’s own rules', () => {
  const pdf = (title?: string) => ({
    type: 'document',
    title,
    source: { type: 'base64', media_type: 'application/pdf', data: base64('pdf') },
  });
  const messagesOf = (...messages: object[]) =>
    converseInput(call({ messages } as never)).messages as {
      role: string;
      content: Record<string, { name: string }>[];
    }[];
  const names = (...messages: object[]) =>
    messagesOf(...messages).flatMap(({ content }) => content.flatMap(({ document }) => document?.name ?? []));

  const long = 'n'.repeat(200);
  test.each([
    ['a.pdf|a.pdf', 'a-pdf|a-pdf-2'],
    ['a_b|a.b', 'a-b|a-b-2'],
    ['a   b\tc.pdf', 'a b c-pdf'],
    ['|日本', 'document|-'],
    [`${long}nn|${long}nn`, `${long}|${long.slice(2)}-2`],
  ])('documents titled %j are named %j', (titles, expected) => {
    expect(names({ role: 'user', content: titles.split('|').map(pdf) })).toEqual(expected.split('|'));
  });

  test('a title used in two turns gets two names, and a document without text gets a default text', () => {
    const turns = [
      { role: 'user', content: [pdf('a')] },
      { role: 'assistant', content: 'ok' },
      { role: 'user', content: [pdf('a'), { type: 'text', text: 'More?' }] },
    ];
    expect(names(...turns)).toEqual(['a', 'a-2']);
    expect(messagesOf(...turns).map(({ content }) => content.filter((part) => 'text' in part))).toEqual([
      [{ text: 'See the document.' }],
      [{ text: 'ok' }],
      [{ text: 'More?' }],
    ]);
  });

  test('a request that only fills the prompt cache is refused', () => {
    const body = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 0 };
    expect(() => converseInput(call(body))).toThrow(
      expect.objectContaining({
        refusal: expect.objectContaining({ data: expect.objectContaining({ param: 'max_tokens' }) }),
      }),
    );
  });

  test('an empty message is refused', () => {
    expect(() => messagesOf({ role: 'user', content: [] })).toThrow('a message that is not empty');
  });

  test('thinking without a signature is omitted and reported', () => {
    const unsigned = { type: 'thinking', thinking: 'hm', signature: '' };
    const said = (thinking: JsonObject) => [{ role: 'assistant', content: [thinking, { type: 'text', text: 'b' }] }];
    expect(converseLeftOut({ messages: said(unsigned) })).toEqual(['messages.content.thinking']);
    expect(converseLeftOut({ messages: said({ ...unsigned, signature: 'sig' }) })).toEqual([]);
    expect(messagesOf(...said({ ...unsigned, signature: 'sig' }))[0]!.content).toHaveLength(2);
  });

  test('[providers.converse-messages] a conversation with tool calls keeps its tools, as Converse requires, even if the caller sends none', () => {
    const use = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
    const result = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: 'x' });
    const turns = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [use('1', 'f'), use('2', 'g'), use('3', 'f')] },
      { role: 'user', content: [result('1'), result('2'), result('3')] },
    ];
    const named = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } });
    expect(converseInput(call({ messages: turns })).toolConfig).toEqual({ tools: [named('f'), named('g')] });
    expect(converseInput(call({ messages: turns.slice(0, 1) })).toolConfig).toBeUndefined();
  });

  test('an invalid call id is replaced in both the call and its result', () => {
    const [used, result] = messagesOf(
      { role: 'assistant', content: [{ type: 'tool_use', id: 'functions.get:0', name: 'get', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions.get:0', content: 'x' }] },
    ).map(({ content }) => content[0] as unknown as Record<string, { toolUseId: string }>);
    expect(used!.toolUse!.toolUseId).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(result!.toolResult!.toolUseId).toBe(used!.toolUse!.toolUseId);
  });

  test('an unknown cache breakpoint TTL is reported', () => {
    const system = (ttl: string) => ({
      system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl } }],
      messages: [],
    });
    expect(converseLeftOut(system('2d'))).toEqual(['cache_control.ttl']);
    expect(converseLeftOut(system('1h'))).toEqual([]);
  });
});

test.each([
  ['an image by address', { type: 'image', source: { type: 'url', url: 'http://169.254.169.254/' } }, '.source'],
  ['content nobody knows', { type: 'hologram' }, ''],
])('[error.plain-words] %s cannot be sent to Converse, and the refusal names the part', (_title, block, member) => {
  const refused = () => converseInput(call({ messages: [{ role: 'user', content: [block] }] }));
  const param = `messages[0].content[0]${member}`;
  expect(refused).toThrow(
    expect.objectContaining({ refusal: expect.objectContaining({ data: expect.objectContaining({ param }) }) }),
  );
});

test('a reply with reasoning, text and a tool call becomes a message', () => {
  const content = [
    { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
    { reasoningContent: { redactedContent: bytes('secret') } },
    { text: 'Hello' },
    { toolUse: { toolUseId: 't1', name: 'f', input: { a: 1 } } },
  ];
  const usage = { inputTokens: 5, outputTokens: 3, totalTokens: 8, cacheReadInputTokens: 2, cacheWriteInputTokens: 1 };
  expect(
    converseReply({ output: { message: { content } }, stopReason: 'guardrail_intervened', usage }, 'm', 'r1'),
  ).toEqual({
    id: 'msg_bdrk_r1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: base64('secret') },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
    ],
    stop_reason: 'refusal',
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 3, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 },
  });
});

test.each([
  ['end_turn', 'end_turn'],
  ['stop_sequence', 'stop_sequence'],
  ['model_context_window_exceeded', 'model_context_window_exceeded'],
  ['content_filtered', 'refusal'],
  ['something_new', 'max_tokens'],
])('[dialects.unknown-end] Converse stop reason %s becomes stop_reason %s', (stopReason, expected) => {
  expect(converseReply({ output: { message: { content: [] } }, stopReason }, 'm', 'r1').stop_reason).toBe(expected);
});

test.each(['malformed_model_output', 'malformed_tool_use'])(
  '[dialects.unknown-end] %s counts as a provider error',
  async (stopReason) => {
    expect(() => converseReply({ output: { message: { content: [] } }, stopReason }, 'm', 'r1')).toThrow(BadReply);
    async function* source() {
      yield { messageStart: { role: 'assistant' } };
      yield { messageStop: { stopReason } };
    }
    const events = converseEvents(source(), call({ messages: [] }), 'r1');
    await events.next();
    await expect(events.next()).rejects.toThrow(BadReply);
  },
);

test('opens blocks that Converse leaves unopened, and estimates input tokens until the exact count arrives', async () => {
  async function* source() {
    yield { messageStart: { role: 'assistant' } };
    yield { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } } };
    yield { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig' } } } };
    yield { contentBlockStop: { contentBlockIndex: 0 } };
    yield { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'Hel' } } };
    yield { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'lo' } } };
    yield { contentBlockStop: { contentBlockIndex: 1 } };
    yield { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'f' } } } };
    yield { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{"a":' } } } };
    yield { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '1}' } } } };
    yield { contentBlockStop: { contentBlockIndex: 2 } };
    yield { someNewEvent: { x: 1 } };
    yield { messageStop: { stopReason: 'tool_use' } };
    yield { metadata: { usage: { inputTokens: 5, outputTokens: 3 } } };
  }
  const collector = dialects.anthropic.collector();
  const events: JsonObject[] = [];
  for await (const event of converseEvents(
    source(),
    call({ messages: [{ role: 'user', content: 'x'.repeat(40) }] }),
    'r1',
  )) {
    events.push(event);
    collector.add(event);
  }
  expect(events[0]).toMatchObject({
    type: 'message_start',
    message: { usage: { input_tokens: 10, output_tokens: 0 } },
  });
  expect(events.at(-2)).toMatchObject({
    delta: { stop_reason: 'tool_use' },
    usage: { input_tokens: 5, output_tokens: 3 },
  });
  expect(collector.reply()).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } },
    ],
  });
});

test('without a key, the call is signed with AWS credentials for the region in the provider entry', async () => {
  const fake = await startFakeProvider({ kind: 'bedrock', script: say('Hello') });
  const bedrock = lazyBedrock({ credentials: { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret' } });
  const entry = providerEntry({ name: 'b', type: 'bedrock', region: 'eu-west-1', base_url: fake.url });
  const provider = bedrockProvider(entry, {
    bedrock,
    secrets: { get: async () => undefined },
    timeouts: systemTimeouts,
  });
  await provider.call(call({ max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }));
  expect(fake.requests[0]!.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d+\/eu-west-1\/bedrock\//,
  );
  await fake.stop();
});

test.each([
  ['CredentialsProviderError', {}, { kind: 'unavailable' }],
  ['ModelTimeoutException', { $metadata: { httpStatusCode: 408 } }, { kind: 'timeout' }],
  ['ModelErrorException', { $metadata: { httpStatusCode: 424 } }, { kind: 'garbage' }],
  ['ThrottlingException', { $metadata: { httpStatusCode: 429 } }, { kind: 'status', status: 429 }],
  ['ServiceUnavailableException', {}, { kind: 'status', status: 503 }],
  ['ValidationException', { message: 'bad input' }, { kind: 'status', status: 400, shown: 'bad input' }],
])("the SDK's error %s", async (name, more, expected) => {
  const thrown = Object.assign(new Error('detail'), { name, ...more });
  const failing: Bedrock = { converse: () => Promise.reject(thrown), converseStream: () => Promise.reject(thrown) };
  const provider = bedrockProvider(providerEntry({ name: 'b', type: 'bedrock' }), {
    bedrock: failing,
    secrets: { get: async () => undefined },
    timeouts: systemTimeouts,
  });
  await expect(provider.call(call({ messages: [] }))).rejects.toMatchObject(expected);
});

test('[dialects.unknown-end] a Converse stream that lacks its last event on an open connection counts as ended', async () => {
  const timers: { ms: number; work: () => void }[] = [];
  const waiting = Promise.withResolvers<void>();
  async function* events() {
    yield { messageStart: { role: 'assistant' } };
    yield { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'x' } } };
    yield { contentBlockStop: { contentBlockIndex: 0 } };
    yield { messageStop: { stopReason: 'end_turn' } };
    waiting.resolve();
    await new Promise<never>(() => {});
  }
  const open = { converseStream: async () => ({ events: events(), requestId: 'r1' }) } as unknown as Bedrock;
  const provider = bedrockProvider(providerEntry({ name: 'b', type: 'bedrock', timeout_ms: 60_000 }), {
    bedrock: open,
    secrets: { get: async () => undefined },
    timeouts: {
      after(ms, work) {
        const timer = { ms, work };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
    },
  });
  const reply = await provider.call(call({ messages: [], stream: true }));
  if (reply.type !== 'stream') throw new Error('no stream');
  const said: JsonObject[] = [];
  const read = (async () => {
    for await (const event of reply.events) said.push(event);
  })();
  await waiting.promise;
  expect(timers.map(({ ms }) => ms)).toEqual([3_000]);
  timers[0]!.work();
  await read;
  expect(said.slice(-2)).toMatchObject([
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]);
});
