/** The official Anthropic client against the gateway, with models from Anthropic and other providers. */
import Anthropic from '@anthropic-ai/sdk';
import { agentKey, type ChatGateway, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, piecesOf, say, startFakeProvider, stream } from '../support/fake-providers.ts';

const kinds = ['anthropic', 'openai'] as const;
type Kind = (typeof kinds)[number];

let fakes: Record<Kind, FakeProvider>;
let gateway: ChatGateway;
let client: Anthropic;

beforeAll(async () => {
  fakes = {
    anthropic: await startFakeProvider({ kind: 'anthropic' }),
    openai: await startFakeProvider({ kind: 'openai' }),
  };
  gateway = await startChatGateway(`
  - id: narrow
    api_keys: [{ key: narrow-key, name: narrow }]
    allowed_models: ["other-*"]
  - id: slow
    api_keys: [{ key: slow-key, name: slow }]
    rate_limit: { requests_per_minute: 1 }
providers:
${providerYaml('theirs', 'anthropic', fakes.anthropic.baseUrl, ', models: [anthropic-model]')}
${providerYaml('others', 'openai', fakes.openai.baseUrl, ', models: [openai-model]')}
policies:
  input: [{ name: no-secrets, type: keyword, action: block, keywords: ["the forbidden word"] }]
`);
  client = gateway.anthropic();
});
beforeEach(() => {
  for (const kind of kinds) fakes[kind].answers(say('Hello'));
});
afterAll(async () => {
  for (const kind of kinds) await fakes?.[kind].stop();
  await gateway?.stop();
});

const ask = (kind: Kind, text: string, more: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) => ({
  model: `${kind}-model`,
  max_tokens: 100,
  messages: [{ role: 'user' as const, content: text }],
  ...more,
});

describe.each(kinds)('[chat.messages] a model behind a %s provider', (kind) => {
  test('answers a message', async () => {
    fakes[kind].answers(say('Bonjour 🙂', { inputTokens: 21, outputTokens: 9, model: 'model-2026' }));
    const { data, response } = await client.messages.create(ask(kind, 'first', { system: 'Be brief.' })).withResponse();
    expect(data).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Bonjour 🙂' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 21, output_tokens: 9 },
    });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const { headers, body } = await fakes[kind].request();
    expect(JSON.stringify(headers)).toContain(providerKey);
    expect(JSON.stringify({ headers, body })).not.toContain(agentKey);
    expect(JSON.stringify(body)).toContain('Be brief.');
  });

  test("streams a message as Anthropic events, with the provider's token counts", async () => {
    fakes[kind].answers(say(['Bon', 'jour ', '🙂'], { inputTokens: 21, outputTokens: 9 }));
    const running = client.messages.stream(ask(kind, 'a longer question that has to be estimated'));
    const events: Anthropic.MessageStreamEvent[] = [];
    let text = '';
    running
      .on('streamEvent', (event) => void events.push(structuredClone(event)))
      .on('text', (delta) => {
        text += delta;
      });
    const final = await running.finalMessage();
    expect(text).toBe('Bonjour 🙂');
    expect(final.content).toMatchObject([{ type: 'text', text: 'Bonjour 🙂' }]);
    expect(final.stop_reason).toBe('end_turn');
    expect(final.usage).toMatchObject({ input_tokens: 21, output_tokens: 9 });
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...Array(3).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const [start] = events;
    expect(start?.type === 'message_start' && start.message.usage.input_tokens).toBeGreaterThan(5);
  });
});

test("[chat.abort] an aborted caller pays for the streamed text, despite the provider's count of one token", async () => {
  const words = Array.from({ length: 20 }, (_, at) => `word ${at} `);
  fakes.anthropic.answers(stream(piecesOf('anthropic', { text: words }).slice(0, 23), 'open'));
  const running = gateway
    .anthropic({ defaultHeaders: { 'x-session-id': 'aborting' } })
    .messages.stream(ask('anthropic', 'abort'));
  running.on('text', (_delta, text) => {
    if (text === words.join('')) running.abort();
  });
  await expect(running.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  await (await fakes.anthropic.request()).closed;
  expect(await gateway.record('aborting')).toMatchObject({
    outcome: 'aborted',
    usage: { input_tokens: 11, output_tokens: Math.ceil(words.join('').length / 4), estimated: true },
  });
});

const failing = (asked: object, key = agentKey) =>
  gateway
    .anthropic({ apiKey: key })
    .messages.create(asked as Anthropic.MessageCreateParamsNonStreaming)
    .then(
      () => Promise.reject(new Error('it was answered')),
      (thrown: unknown) => thrown as InstanceType<typeof Anthropic.APIError>,
    );

test.each<[string, { new (...args: never[]): unknown }, number, string, object, string?]>([
  ['an unknown key', Anthropic.AuthenticationError, 401, 'authentication_error', {}, 'unknown'],
  ['another’s model', Anthropic.PermissionDeniedError, 403, 'permission_error', {}, 'narrow-key'],
  ['blocked words', Anthropic.PermissionDeniedError, 403, 'permission_error', { system: 'the forbidden word' }],
  ['a model of nobody', Anthropic.NotFoundError, 404, 'not_found_error', { model: 'nobody' }],
  ['no messages', Anthropic.BadRequestError, 400, 'invalid_request_error', { messages: [] }],
])('errors are instances of the client’s own classes: %s', async (_what, Kind, status, type, more, key = agentKey) => {
  const error = await failing({ ...ask('anthropic', 'x'), ...more }, key);
  expect(error).toBeInstanceOf(Kind);
  expect(error).toMatchObject({ status, error: { type: 'error', error: { type, message: expect.any(String) } } });
  expect(error.headers?.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

test('[chat.tool-use] tool use is rejected unless it is governed', async () => {
  const tool = { name: 'read_file', input_schema: { type: 'object' as const } };
  const result = {
    role: 'user' as const,
    content: [{ type: 'tool_result' as const, tool_use_id: 'call_1', content: 'x' }],
  };
  for (const more of [{ tools: [tool] }, { messages: [result] }]) {
    const error = await failing({ ...ask('anthropic', 'tools'), ...more });
    expect(error).toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } });
    expect(error.message).toContain('messages.tool_use');
  }
  expect(fakes.anthropic.requests).toHaveLength(0);
});
