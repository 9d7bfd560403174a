/**
 * Provider errors in the official clients: status, class, retries and delays, for each pair of dialects, including in
 * streams.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import {
  type FakeKind,
  type FakeProvider,
  type FakeReply,
  jsonReply,
  piecesOf,
  refuse,
  say,
  startFakeProvider,
  stream,
} from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';

const kinds = ['openai', 'anthropic'] as const satisfies readonly FakeKind[];
type Kind = (typeof kinds)[number];

let hosts: Record<Kind, FakeProvider>;
let gateway: ChatGateway;

beforeAll(async () => {
  hosts = {
    openai: await startFakeProvider({ kind: 'openai' }),
    anthropic: await startFakeProvider({ kind: 'anthropic' }),
  };
  const patient = ', breaker: { min_requests: 100000 }';
  gateway = await startChatGateway(`
providers:
${providerYaml('openai', 'openai', hosts.openai.baseUrl, `, models: [openai-model]${patient}`)}
${providerYaml('anthropic', 'anthropic', hosts.anthropic.baseUrl, `, models: [anthropic-model]${patient}`)}
cache: { enabled: false }
`);
});
afterAll(async () => {
  for (const kind of kinds) await hosts?.[kind].stop();
  await gateway?.stop();
});

const user = [{ role: 'user' as const, content: 'hi' }];
const failure = (work: Promise<unknown>): Promise<Loose> =>
  work.then(
    (value) => ({ value }),
    (fault: unknown) => fault as Loose,
  );
/** A client's calls, by endpoint name. */
const calls = {
  chat: (model: string, stream: boolean) =>
    failure(read(gateway.openai().chat.completions.create({ model, messages: user, stream }))),
  responses: (model: string, stream: boolean) =>
    failure(read(gateway.openai().responses.create({ model, input: 'hi', stream }))),
  messages: (model: string, stream: boolean) =>
    failure(read(gateway.anthropic().messages.create({ model, max_tokens: 9, messages: user, stream }))),
};
/** Returns the response, or all of its events. */
async function read(work: PromiseLike<unknown>): Promise<unknown> {
  const answer = (await work) as AsyncIterable<unknown>;
  if (!(Symbol.asyncIterator in answer)) return answer;
  const events: unknown[] = [];
  for await (const event of answer) events.push(event);
  return events;
}

/** Builds an error in the vendor's format. */
const told = (status: number, error: object, headers: Record<string, string> = {}) =>
  jsonReply({ type: 'error', error: { message: 'm', ...error } }, status, headers);

const wait = { 'retry-after': '7' };
type Expected = readonly [status: number, type: string, theirs: string, after?: string, retry?: string];
const overloaded = [503, 'provider_overloaded', 'overloaded_error'] as const;
const unknown = [404, 'model_not_found', 'not_found_error'] as const;
const answers: readonly (readonly [string, FakeReply, Expected])[] = [
  ['529', told(529, { type: 'overloaded_error' }, wait), [...overloaded, '7']],
  ['503', told(503, { type: 'server_error' }, wait), [...overloaded, '7']],
  ['an overload under status 200', told(200, { type: 'overloaded_error' }), overloaded],
  ['429', told(429, { type: 'rate_limit_error' }, wait), [429, 'rate_limit_error', 'rate_limit_error', '7']],
  [
    '429 for an empty account',
    told(429, { code: 'insufficient_quota' }),
    [429, 'rate_limit_error', 'rate_limit_error', '5', 'false'],
  ],
  ['408', told(408, {}), [504, 'provider_timeout', 'timeout_error']],
  ['409', told(409, {}), [502, 'provider_error', 'api_error']],
  ['413', told(413, { type: 'request_too_large' }), [413, 'payload_too_large', 'request_too_large']],
  ['404 for the model of OpenAI', told(404, { code: 'model_not_found' }), unknown],
  ['404 for the model of Anthropic', told(404, { type: 'not_found_error', message: 'model: x' }), unknown],
  ['404 for the path', told(404, { message: 'no such page' }), [502, 'provider_error', 'api_error']],
];

describe.each(kinds)('[chat.provider-error] the SDK understands errors from a provider of type %s', (kind) => {
  test.each(answers)('%s', async (_, reply, [status, type, theirs, after, retry]) => {
    for (const streamed of [false, true]) {
      // An error within a stream is sent as an event.
      const sent = streamed && reply.type === 'body' && reply.status === 200 ? inStream(kind, []) : reply;
      hosts[kind].answers(sent);
      for (const endpoint of ['chat', 'responses'] as const) {
        const ours = await calls[endpoint](`${kind}-model`, streamed);
        expect(ours).toBeInstanceOf(OpenAI.APIError);
        expect([endpoint, ours.status, ours.type]).toEqual([endpoint, status, type]);
        expect(ours.headers.get('retry-after')).toBe(after ?? null);
        expect(ours.headers.get('x-should-retry')).toBe(retry ?? null);
      }
      const other = await calls.messages(`${kind}-model`, streamed);
      expect(other).toBeInstanceOf(Anthropic.APIError);
      expect([other.status, other.type, other.error.error.code]).toEqual([status === 503 ? 529 : status, theirs, type]);
      expect(other.headers.get('retry-after')).toBe(after ?? null);
    }
  });

  test.each([
    ['400', 400, 'context_length_exceeded', 'invalid_request'],
    ['413', 413, 'string_above_max_length', 'payload_too_large'],
    ['429', 429, 'rate_limit_exceeded', 'rate_limit_error'],
    ['400 under status 200', 200, 'context_length_exceeded', 'invalid_request'],
  ])("clients can branch on the provider's code: %s", async (_, given, code, type) => {
    const status = given === 200 ? 400 : given;
    const error = { type: 'invalid_request_error', code, message: 'too long' };
    for (const streamed of [false, true]) {
      const event = { event: { type: 'error', error } };
      hosts[kind].answers(streamed && given === 200 ? stream([event]) : told(given, error));
      for (const endpoint of ['chat', 'responses', 'messages'] as const) {
        const ours = await calls[endpoint](`${kind}-model`, streamed);
        const body = endpoint === 'messages' ? ours.error.error : ours.error;
        expect([endpoint, ours.status, body]).toMatchObject([endpoint, status, { reason: code }]);
        expect(JSON.stringify(body)).toContain(type);
        expect(body.message.includes('too long')).toBe(status !== 429);
      }
    }
  });

  test('a client that retries does not notice a single overload', async () => {
    hosts[kind].answers([refuse(kind, 529, 'busy', { 'retry-after': '0' }), say('after')]);
    const ours = await gateway
      .openai({ maxRetries: 1 })
      .chat.completions.create({ model: `${kind}-model`, messages: user });
    expect([ours.choices[0]!.message.content, hosts[kind].requests.length]).toEqual(['after', 2]);
    hosts[kind].answers([refuse(kind, 529, 'busy', { 'retry-after': '0' }), say('after')]);
    const client = gateway.anthropic({ maxRetries: 1 });
    const theirs = await client.messages.create({ model: `${kind}-model`, max_tokens: 9, messages: user });
    expect([theirs.content[0], hosts[kind].requests.length]).toMatchObject([{ text: 'after' }, 2]);
  });

  test('a call that fails for lack of credit is not retried', async () => {
    hosts[kind].answers(told(429, { type: 'insufficient_quota' }));
    await failure(
      gateway.openai({ maxRetries: 2 }).chat.completions.create({ model: `${kind}-model`, messages: user }),
    );
    expect(hosts[kind].requests).toHaveLength(1);
  });

  test('an overload after the stream has started becomes its last event, with its own error type', async () => {
    const opening = piecesOf(kind, { text: ['Hel', 'lo'] }).slice(0, 3);
    hosts[kind].answers(inStream(kind, opening));
    const [ours, viewed, theirs] = await Promise.all([
      ...[calls.chat, calls.responses, calls.messages].map((each) => each(`${kind}-model`, true)),
    ]);
    expect(ours).toMatchObject({ type: 'provider_overloaded', status: undefined });
    expect(viewed).toMatchObject({ code: 'provider_overloaded' });
    expect(theirs).toMatchObject({ type: 'overloaded_error', error: { error: { code: 'provider_overloaded' } } });
  });

  test("a refusal after the start of the stream keeps the provider's code", async () => {
    const error = { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'too long' };
    const opening = piecesOf(kind, { text: ['Hel', 'lo'] }).slice(0, 3);
    hosts[kind].answers(stream([...opening, { event: { type: 'error', error } }]));
    const [ours, viewed] = await Promise.all([calls.chat, calls.responses].map((each) => each(`${kind}-model`, true)));
    expect(ours).toMatchObject({ type: 'invalid_request', error: { reason: 'context_length_exceeded' } });
    expect(viewed).toMatchObject({ code: 'context_length_exceeded' });
  });
});

/** Builds a stream that ends with the vendor's overload error. */
const inStream = (kind: Kind, opening: ReturnType<typeof piecesOf>) =>
  stream([
    ...opening,
    kind === 'anthropic'
      ? { event: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } }
      : { event: { error: { type: 'service_unavailable_error', code: 503, message: 'Overloaded' } } },
  ]);

test('[chat.provider-error] embeddings', async () => {
  hosts.openai.answers(told(503, { type: 'server_error' }, wait));
  const refused = await failure(gateway.openai().embeddings.create({ model: 'openai-model', input: 'x' }));
  expect(refused).toMatchObject({ status: 503, type: 'provider_overloaded' });
  expect(refused.headers.get('retry-after')).toBe('7');
});
