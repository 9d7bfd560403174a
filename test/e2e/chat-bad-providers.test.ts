/**
 * Providers that return something other than a reply, with one example of each outcome: a typed error, no reservation
 * left, one entry, charged or free. Which responses count as which fault is tested for every kind of provider in
 * `contract/providers-failing.test.ts`.
 */
import { type ChatGateway, eventsOf, providerKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import {
  type FakeProvider,
  type FakeReply,
  html,
  jsonReply,
  piecesOf,
  refuse,
  silent,
  startFakeProvider,
  stream,
} from '../support/fake-providers.ts';
import type { Fields } from './client.ts';

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
const opening = piecesOf('openai', { text: ['half ', 'a ', 'word'] }).slice(0, 3);
const failed = [502, 'provider_error'] as const;
type Charge = 'free' | 'charged';
const answers: readonly (readonly [string, FakeReply, readonly [number, string], Charge])[] = [
  ['an HTML page', html(), failed, 'charged'],
  ['500', refuse('openai', 500, `${providerKey} detail`), failed, 'free'],
  ['503 in HTML', html(503), [503, 'provider_overloaded'], 'free'],
  ['401: our key is not theirs', jsonReply(error('invalid_api_key'), 401), failed, 'free'],
  ['no byte at all', silent, [504, 'provider_timeout'], 'charged'],
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

describe('[chat.provider-error]', () => {
  const id = 'req_011CSHoEeqs5C35K2UUqR7Fy';
  const of = async (reply: FakeReply, body: object = {}) => {
    fake.answers(reply);
    return gateway.say('m', 'please', { session: session(), body });
  };

  test.each([
    ['x-request-id', { stream: false }],
    ['request-id', { stream: true }],
    ['x-amzn-requestid', { stream: false }],
  ])("a provider error includes the provider's %s in the header, message and body", async (header, body) => {
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

  test.each([
    ['none', {}],
    ['one with blanks', { 'x-request-id': 'detail of a prompt' }],
    ['a long one', { 'x-request-id': 'x'.repeat(200) }],
    ['one that holds our key', { 'x-request-id': `req-${providerKey}` }],
  ])('x-provider-request-id is omitted when the provider sends %s', async (_, headers) => {
    const answer = await of(refuse('openai', 500, 'detail', headers));
    expect(answer.headers.get('x-provider-request-id')).toBeNull();
    expect(answer.body.error).toMatchObject({ message: expect.not.stringContaining('detail') });
  });
});

describe('a stream that starts correctly', () => {
  const endings: readonly (readonly [string, FakeReply, string])[] = [
    ['and breaks off', stream(opening, 'break'), 'provider_error'],
    ['and falls silent', stream(opening, 'open'), 'provider_timeout'],
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
});
