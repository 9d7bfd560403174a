/** The official OpenAI client, unchanged except for its base URL. */
import OpenAI from 'openai';
import { agentKey, type ChatGateway, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, piecesOf, say, startFakeProvider, stream } from '../support/fake-providers.ts';

const path = 'src/été "q".ts';
const calls = [
  { id: 'call_1', name: 'read_file', input: { path, note: '日本 🙂 \n tab\t' } },
  { id: 'call_2', name: 'list_dir', input: {} },
];
const tools: OpenAI.Chat.ChatCompletionTool[] = ['read_file', 'list_dir'].map((name) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
}));

let fake: FakeProvider;
let gateway: ChatGateway;
let client: OpenAI;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await startChatGateway(`
  - id: narrow
    api_keys: [{ key: narrow-key, name: narrow }]
    allowed_models: ["other-*"]
  - id: slow
    api_keys: [{ key: slow-key, name: slow }]
    rate_limit: { requests_per_minute: 1 }
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: [gpt-test, "gpt-*"]')}
aliases: { models: { fast: gpt-test } }
`);
  client = gateway.openai();
});
beforeEach(() => fake.answers(say('Hello')));
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

const user = (content: OpenAI.Chat.ChatCompletionUserMessageParam['content']) => [{ role: 'user' as const, content }];
const chunk = (choice: object, more: object = {}) => ({
  event: { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice], ...more },
});
const ask = (text: string, more: object = {}) => ({ model: 'gpt-test', messages: user(text), ...more });

test("[chat.completions] [credential.never-shown] a completion is requested with the provider's key, not the caller's", async () => {
  fake.answers(say('Bonjour 🙂', { inputTokens: 21, outputTokens: 9, model: 'gpt-test-2026' }));
  const { data, response } = await client.chat.completions.create(ask('first')).withResponse();
  expect(data).toMatchObject({
    object: 'chat.completion',
    model: 'gpt-test-2026',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Bonjour 🙂' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 },
  });
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  const { headers, body } = await fake.request();
  expect(headers.authorization).toBe(`Bearer ${providerKey}`);
  expect(JSON.stringify({ headers, body })).not.toContain(agentKey);
  expect(body).toEqual(ask('first'));
});

test('[chat.completions] a stream arrives piece by piece, as the model sends it', async () => {
  const later = Promise.withResolvers<void>();
  const [opening, first, ...rest] = piecesOf('openai', { text: ['Bon', 'jour ', '🙂'] });
  fake.answers(stream([opening!, first!, later.promise, ...rest]));
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...ask('stream'), stream: true })) {
    expect(chunk.choices).toHaveLength(1);
    text += chunk.choices[0]!.delta.content ?? '';
    if (text === 'Bon') later.resolve(); // the rest is not sent before the first word has arrived
  }
  expect(text).toBe('Bonjour 🙂');
});

test('parallel tool calls arrive intact, and their results are sent back', async () => {
  fake.answers([say('', { toolCalls: calls }), say('Done.')]);
  const { choices } = await client.chat.completions.create(ask('tools', { tools }));
  const { message, finish_reason } = choices[0]!;
  expect(finish_reason).toBe('tool_calls');
  expect(
    message.tool_calls?.map((call) => call.type === 'function' && [call.id, JSON.parse(call.function.arguments)]),
  ).toEqual(calls.map(({ id, input }) => [id, input]));
  const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'été' }));
  const messages = [...user('tools'), message, ...results];
  const answer = await client.chat.completions.create({ model: 'gpt-test', messages, tools });
  expect(answer.choices[0]?.message.content).toBe('Done.');
  expect((await fake.request(1)).body.messages).toEqual(messages);
});

test('[chat.completions] a stream with several choices keeps unknown members', async () => {
  const said = (index: number, delta: object, finish_reason: string | null = null) =>
    chunk({ index, delta, finish_reason, x_choice: 7 }, { x_event: true });
  const pieces = [
    said(0, { role: 'assistant', content: 'a', x_delta: '1' }),
    said(1, { content: 'b' }),
    said(0, {}, 'stop'),
    said(1, {}, 'stop'),
  ];
  fake.answers(stream([...pieces, ': a comment\n\n', 'data: [DONE]\n\n']));
  const chunks = [];
  for await (const each of await client.chat.completions.create({ ...ask('choices'), n: 2, stream: true }))
    chunks.push(each);
  expect(chunks).toEqual(pieces.map(({ event }) => event));
});

describe("errors are instances of the client's error classes", () => {
  const failing = (asked: object, key = agentKey) =>
    gateway
      .openai({ apiKey: key })
      .chat.completions.create(asked as never)
      .then(
        () => Promise.reject(new Error('it was answered')),
        (thrown: unknown) => thrown as InstanceType<typeof OpenAI.APIError>,
      );

  test.each<[string, { new (...args: never[]): unknown }, number, string, () => Promise<unknown>]>([
    ['an unknown key', OpenAI.AuthenticationError, 401, 'authentication_error', () => failing(ask('x'), 'unknown')],
    ['another’s model', OpenAI.PermissionDeniedError, 403, 'model_not_allowed', () => failing(ask('x'), 'narrow-key')],
    [
      'a model of nobody',
      OpenAI.NotFoundError,
      404,
      'model_not_found',
      () => failing({ ...ask('x'), model: 'nobody' }),
    ],
    ['no messages', OpenAI.BadRequestError, 400, 'invalid_request', () => failing({ model: 'gpt-test' })],
  ])('%s', async (_what, Kind, status, type, fail) => {
    const error = await fail();
    expect(error).toBeInstanceOf(Kind);
    expect(error).toMatchObject({ status, type, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });
});

test("[chat.abort] an aborted caller ends the provider's call and pays for the streamed text", async () => {
  const own = gateway.openai({ defaultHeaders: { 'x-session-id': 'aborting' } });
  const words = Array.from({ length: 20 }, (_, at) => `word ${at} `);
  fake.answers(stream(piecesOf('openai', { text: words }).slice(0, 21), 'open'));
  const leaving = new AbortController();
  const answer = await own.chat.completions.create({ ...ask('abort'), stream: true }, { signal: leaving.signal });
  let text = '';
  for await (const chunk of answer) {
    text += chunk.choices[0]?.delta.content ?? '';
    if (text === words.join('')) leaving.abort();
  }
  const { closed } = await fake.request();
  await closed;
  const record = await gateway.record('aborting');
  expect(record).toMatchObject({ outcome: 'aborted', status: 499, provider: 'fake', usage: { estimated: true } });
  expect(record.usage.output_tokens).toBe(Math.ceil(text.length / 4));
  expect(record.cost_microusd).toBeGreaterThan(0);
});
