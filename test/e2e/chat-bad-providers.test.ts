/** Providers that answer anything but a reply: typed errors, nothing held, one entry each; breakers and fallbacks. */
import { type ChatGateway, eventsOf, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import {
  body,
  cutJson,
  endless,
  type FakeProvider,
  type FakeReply,
  html,
  jsonReply,
  piecesOf,
  refuse,
  reset,
  say,
  silent,
  startFakeProvider,
  stream,
  truncatedJson,
} from '../support/fake-providers.ts';
import type { Fields } from './client.ts';

const breaker = 'breaker: { min_requests: 2, error_rate: 0.5, open_seconds: 600 }';

let fake: FakeProvider;
let gateway: ChatGateway;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await startChatGateway(`
    rate_limit: { requests_per_minute: 1000, tokens_per_minute: 100000000 }
budgets: { tenants: { default: { monthly_usd: 1000000 } } }
providers:
${providerYaml('sturdy', 'openai', fake.baseUrl, ', models: [m], timeout_ms: 60000, breaker: { min_requests: 1000 }')}
${providerYaml('hasty', 'openai', fake.baseUrl, ', models: [hasty], timeout_ms: 5000, breaker: { min_requests: 1000 }')}
${providerYaml('hurried', 'openai', fake.baseUrl, ', models: [hurried], timeout_ms: 200, breaker: { min_requests: 1000 }')}
${providerYaml('alone', 'openai', fake.baseUrl, `, ${breaker}`)}
${providerYaml('covered', 'openai', fake.baseUrl, `, ${breaker}`)}
${providerYaml('nowhere', 'openai', 'http://127.0.0.1:1/v1')}
  - { name: keyless, type: openai, base_url: "${fake.baseUrl}", api_key_env: KEY_THAT_IS_NOT_SET }
  - { name: off, type: openai, base_url: "${fake.baseUrl}", enabled: false }
  - { name: mock, type: mock, models: [mock] }
routes:
  - { match: { model: alone }, providers: [alone] }
  - { match: { model: covered }, providers: [covered, mock] }
  - { match: { model: nowhere }, providers: [nowhere] }
  - { match: { model: keyless }, providers: [keyless] }
  - { match: { model: "off" }, providers: ["off"] }
cache: { enabled: false }
`);
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

let asked = 0;
const session = () => `session-${++asked}`;
const usd = async () =>
  (await gateway.admin<{ statuses: { spent_usd: number }[] }>('budgets')).body.statuses[0]!.spent_usd;

async function expectSettled(own: string, expected: object): Promise<void> {
  expect(await gateway.record(own)).toMatchObject(expected);
  expect(await gateway.records(own)).toHaveLength(1);
  expect(await gateway.open()).toBe(0);
}

const error = (type: string) => ({ error: { message: `the ${providerKey} and other detail`, type } });
const chunk = (delta: object) => ({
  event: {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: null }],
  },
});
const opening = piecesOf('openai', { text: ['half ', 'a ', 'word'] }).slice(0, 3);
const [failed, late] = [
  [502, 'provider_error'],
  [504, 'provider_timeout'],
] as const;

const answers: readonly (readonly [
  name: string,
  reply: FakeReply,
  expected: readonly [number, string],
  charged: 'free' | 'charged',
])[] = [
  ['an HTML page', html(), failed, 'charged'],
  ['truncated JSON', truncatedJson(), failed, 'charged'],
  ['JSON cut by the connection', cutJson(), failed, 'charged'],
  ['an error in a 200', jsonReply(error('server_error')), failed, 'charged'],
  ['no choices', jsonReply({ id: 'c', choices: [] }), failed, 'charged'],
  ['nothing in a 200', body([]), failed, 'charged'],
  ['500', refuse('openai', 500, `${providerKey} detail`), failed, 'free'],
  ['503 in HTML', html(503), [503, 'provider_overloaded'], 'free'],
  ['401: our key is not theirs', jsonReply(error('invalid_api_key'), 401), failed, 'free'],
  ['a connection closed at once', reset, failed, 'free'],
  ['no byte at all', silent, late, 'charged'],
];

describe.each(['whole', 'streamed'] as const)('[chat.provider-error] a reply %s', (how) => {
  test.each(answers)('%s', async (_name, reply, [status, type], charged) => {
    fake.answers(reply);
    const [own, before] = [session(), await usd()];
    const [model, provider] = reply === silent ? ['hurried', 'hurried'] : ['m', 'sturdy'];
    const answer = await gateway.say(model, 'please', { session: own, body: { stream: how === 'streamed' } });
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: status, type });
    expect(answer.text).not.toContain('detail');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    await expectSettled(own, { outcome: 'failed', status, error: type, attempts: [{ provider }] });
    if (charged === 'free') expect(await usd()).toBe(before);
    else expect(await usd()).toBeGreaterThan(before);
  });
});

test('what a provider says about the caller’s own request is passed on, without the gateway’s key', async () => {
  fake.answers(refuse('openai', 400, `max_tokens is too large; asked with ${providerKey}`));
  const answer = await gateway.say('m', 'please', { session: 'told' });
  expect(answer).toMatchObject({ status: 400, body: { error: { type: 'invalid_request' } } });
  expect(answer.text).toContain('max_tokens is too large');
  expect(answer.text).not.toContain(providerKey);
  await expectSettled('told', { outcome: 'failed', status: 400 });
});

describe('[chat.provider-request-id]', () => {
  const id = 'req_011CSHoEeqs5C35K2UUqR7Fy';
  const of = async (reply: FakeReply, body: object = {}) => {
    fake.answers(reply);
    return gateway.say('m', 'please', { session: session(), body });
  };

  test.each([
    ['x-request-id', { stream: false }],
    ['request-id', { stream: true }],
    ['x-amzn-requestid', { stream: false }],
  ])('a refusal names the call by its %s, in header, message and body', async (header, body) => {
    const answer = await of(refuse('openai', 500, 'detail', { [header]: id }), body);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('x-provider-request-id')).toBe(id);
    expect(answer.body.error).toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `^The gateway could not complete the request: the provider \\S+ failed \\(request \\S+\\)\\. \\(the provider's request id: ${id}\\)$`,
        ),
      ),
      provider_request_id: id,
    });
    expect(answer.text).not.toContain('detail');
  });

  test('so does an answer that is none, and a stream that breaks off', async () => {
    const garbage = await of(jsonReply({ object: 'list', data: [] }, 200, { 'x-request-id': id }));
    expect(garbage.headers.get('x-provider-request-id')).toBe(id);
    const [first, ...rest] = opening;
    const broken = await of(
      { type: 'body', status: 200, headers: { 'x-request-id': id }, pieces: [first!, ...rest], ending: 'break' },
      { stream: true },
    );
    expect(broken.text).toContain(id);
  });

  test.each([
    ['none', {}],
    ['one with blanks', { 'x-request-id': 'detail of a prompt' }],
    ['a long one', { 'x-request-id': 'x'.repeat(200) }],
    ['one that holds our key', { 'x-request-id': `req-${providerKey}` }],
  ])('%s is not passed on', async (_, headers) => {
    const answer = await of(refuse('openai', 500, 'detail', headers));
    expect(answer.headers.get('x-provider-request-id')).toBeNull();
    expect(answer.body.error).toMatchObject({ message: expect.not.stringContaining('detail') });
  });
});

describe('a stream that begins well', () => {
  const endings: readonly (readonly [string, FakeReply, string])[] = [
    ['and breaks off', stream(opening, 'break'), 'provider_error'],
    ['and just ends', stream(opening), 'provider_error'],
    ['and falls silent', stream(opening, 'open'), 'provider_timeout'],
    [
      'and turns into an error',
      stream([...opening, `data: ${JSON.stringify(error('overloaded'))}\n\n`]),
      'provider_error',
    ],
    ['and turns into garbage', stream([...opening, 'data: {"id":\n\n', ...opening]), 'provider_error'],
    [
      'and turns into bytes',
      stream([...opening, new Uint8Array([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])]),
      'provider_error',
    ],
  ];
  test.each(endings)('%s', async (_name, reply, type) => {
    fake.answers(reply);
    const own = session();
    const model = type === 'provider_timeout' ? 'hasty' : 'm';
    const answer = await gateway.say(model, 'please', { session: own, body: { stream: true } });
    const events = eventsOf(answer.text) as Fields[];
    expect(answer.status).toBe(200);
    expect(events.slice(0, -1).map((event) => (event.choices as { delta: Fields }[])[0]?.delta.content)).toEqual([
      '',
      'half ',
      'a ',
    ]);
    expect(events.at(-1)).toMatchObject({ error: { type } });
    expect(answer.text).not.toContain('detail');
    await expectSettled(own, { outcome: 'failed', error: type, usage: { output_tokens: 2, estimated: true } });
  });

  test.each([
    ['of words', endless(`data: ${JSON.stringify(chunk({ content: 'x'.repeat(60_000) }).event)}\n\n`)],
    ['without an end of its event', endless(`data: ${'x'.repeat(60_000)}`)],
  ])('and has no end, %s', async (_name, reply) => {
    fake.answers(reply);
    const own = session();
    const answer = await gateway.say('m', 'please', { session: own, body: { stream: true } });
    expect(answer.text).toContain('provider_error');
    expect(answer.text.length).toBeLessThan(10_000_000);
    await (await fake.request()).closed;
    await expectSettled(own, { outcome: 'failed' });
  });

  test('a whole reply without end is cut as well', async () => {
    fake.answers(endless('x'.repeat(60_000)));
    const own = session();
    expect((await gateway.say('m', 'please', { session: own })).status).toBe(502);
    await (await fake.request()).closed;
    await expectSettled(own, { outcome: 'failed' });
  });
});

test.each(['nowhere', 'keyless', 'off'])('a provider that cannot be asked: %s', async (model) => {
  const [own, before] = [session(), await usd()];
  const answer = await gateway.say(model, 'please', { session: own });
  expect(answer).toMatchObject({ status: 502, body: { error: { type: 'provider_error' } } });
  await expectSettled(own, { outcome: 'failed', cost_microusd: 0 });
  expect(await usd()).toBe(before);
});

test('[chat.breaker] a provider that keeps failing is left alone; where the route lists the mock, the mock answers', async () => {
  fake.answers(refuse('openai', 503));
  for (const model of ['alone', 'covered']) for (const _ of [1, 2]) await gateway.say(model, 'please');
  fake.answers(say('well again'));
  const alone = session();
  expect((await gateway.say('alone', 'please', { session: alone })).status).toBe(502);
  await expectSettled(alone, {
    outcome: 'failed',
    attempts: [{ provider: 'alone', error: 'breaker_open' }],
    cost_microusd: 0,
  });
  const covered = session();
  const answer = await gateway.say('covered', 'please', { session: covered });
  expect(answer).toMatchObject({ status: 200, body: { choices: [{ message: { content: 'Mock reply to: please' } }] } });
  await expectSettled(covered, {
    outcome: 'completed',
    provider: 'mock',
    attempts: [{ provider: 'covered', error: 'breaker_open' }],
  });
  expect(fake.requests).toHaveLength(0);
  const { body } = await gateway.admin<{ providers: { name: string; breaker?: string }[] }>('providers');
  const open = body.providers.filter((provider) => provider.breaker === 'open').map(({ name }) => name);
  expect(open.sort()).toEqual(['alone', 'covered']);
});

test('after all of it, what is answered well arrives', async () => {
  fake.answers(say('fine'));
  expect((await gateway.say('m', 'please')).status).toBe(200);
});
