/** Calls along a route, over real HTTP: what is tried, in which order, and what is learnt from it. */
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { Configuration, ProviderEntry } from '#core/contracts/config.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { SpanAttributes, Telemetry } from '#core/kernel/ports.ts';
import { ProviderFault } from '#core/providers/ports.ts';
import { providersFrom } from '#core/providers/providers.ts';
import { breakersOf } from '#core/routing/breakers.ts';
import { type Answered, callProvider, type RoutedCall } from '#core/routing/call-provider.ts';
import { faultToError } from '#core/routing/fault-to-error.ts';
import { planRoute } from '#core/routing/plan.ts';
import {
  type FakeProvider,
  html,
  piecesOf,
  refuse,
  reset,
  say,
  silent,
  startFakeProvider,
  stream,
} from '../../support/fake-providers.ts';
import { providerEntry } from '../../support/provider-entry.ts';

let first: FakeProvider;
let second: FakeProvider;
beforeAll(async () => {
  first = await startFakeProvider({ kind: 'openai' });
  second = await startFakeProvider({ kind: 'openai' });
});
afterAll(() => Promise.all([first.stop(), second.stop()]));

interface SeenSpan {
  readonly name: string;
  readonly attributes: SpanAttributes;
  end?: 'well' | 'failed';
}

function world(entries: readonly ProviderEntry[]) {
  const spans: SeenSpan[] = [];
  const pauses: number[] = [];
  const time = { ms: 0 };
  const telemetry: Telemetry = {
    async span(name, attributes, work) {
      const seen: SeenSpan = { name, attributes: { ...attributes } };
      spans.push(seen);
      const set = (more: SpanAttributes) => void Object.assign(seen.attributes, more);
      try {
        const value = await work({ traceId: 'f'.repeat(32), set, elapsedUs: () => 2_000 });
        seen.end = 'well';
        return value;
      } catch (fault) {
        seen.end = 'failed';
        throw fault;
      }
    },
    continued: (_from, work) => work(),
    outgoing: () => ({ traceparent: `00-${'f'.repeat(32)}-${'0'.repeat(15)}${spans.length}-01` }),
    count() {},
    gauge() {},
    observe() {},
    flush: async () => {},
    log() {},
  };
  const timeouts = {
    after(ms: number, work: () => void) {
      pauses.push(ms);
      queueMicrotask(work);
      return () => {};
    },
  };
  const clock = { now: () => time.ms };
  const secrets = { get: async () => undefined };
  const providers = providersFrom({ http: httpCall, secrets, clock, timeouts: systemTimeouts });
  const ports = { providers, telemetry, clock, timeouts, random: () => 0.5 };
  const configuration = {
    providers: entries,
    routes: [{ match: { model: '*' }, providers: entries.map(({ name }) => name), strategy: 'priority' }],
  } as unknown as Configuration;
  const call = (more: Partial<RoutedCall> = {}) =>
    callProvider(ports, planRoute(configuration, 'm-1')!, {
      model: 'm-1',
      stream: false,
      headers: { traceparent: 'the caller’s' },
      signal: new AbortController().signal,
      bodyFor: () => ({ messages: [{ role: 'user', content: 'Hi' }] }),
      ...more,
    });
  return { spans, pauses, time, providers, call };
}

const at = (fake: FakeProvider, name: string, more: Partial<ProviderEntry> = {}) =>
  providerEntry({ name, type: 'openai', base_url: fake.baseUrl, ...more });
const mock = providerEntry({ name: 'mock', type: 'mock' });

async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const thrown = await work.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  if (!(thrown instanceof ProviderFault)) throw thrown ?? new Error('it did not fail');
  return thrown;
}
async function read({ reply }: Answered): Promise<JsonObject[]> {
  if (reply.type !== 'stream') throw new Error('no stream');
  const events: JsonObject[] = [];
  for await (const event of reply.events) events.push(event);
  return events;
}

test.each([
  ['a connection that breaks', reset, 'unreachable'],
  ['a server error', refuse('openai', 500), '500'],
  ['a limit', refuse('openai', 429, 'slow', { 'retry-after': '60' }), '429'],
  ['a wrong key', refuse('openai', 401), '401'],
  ['a page of HTML', html(), 'garbage'],
  ['silence', silent, 'timeout'],
])('[chat.routing] after %s the next provider of the route answers', async (_title, reply, error) => {
  first.answers(reply);
  second.answers(say('from the second'));
  const { call } = world([at(first, 'a', { timeout_ms: reply === silent ? 80 : 60_000 }), at(second, 'b')]);
  const answered = await call();
  expect(answered).toMatchObject({
    provider: { name: 'b' },
    entry: { name: 'b' },
    attempts: [{ provider: 'a', error }],
  });
  expect(JSON.stringify(answered.reply)).toContain('from the second');
  expect(second.requests[0]!.headers.traceparent).toMatch(/02-01$|2-01$/);
});

test('[chat.breaker] the mock answers for a provider that is down where the route lists it, and only there', async () => {
  first.answers(refuse('openai', 503));
  expect((await world([at(first, 'a'), mock]).call()).provider.name).toBe('mock');
  await expect(faultOf(world([at(first, 'a')]).call())).resolves.toMatchObject({ status: 503 });
});

test.each([400, 413, 422])(
  'a refusal of the request itself (%d) is final: the next would say the same',
  async (status) => {
    first.answers(refuse('openai', status, 'too many stops'));
    second.answers(say());
    const fault = await faultOf(world([at(first, 'a', { retry: { max_attempts: 3 } }), at(second, 'b')]).call());
    expect(fault).toMatchObject({ status, attempts: [{ provider: 'a', error: String(status) }] });
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(0);
    const error = faultToError(fault);
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect(error.message).toContain('too many stops');
  },
);

test('[chat.routing] the same provider is tried again with jitter that grows, or as its Retry-After asks', async () => {
  first.answers([
    refuse('openai', 500),
    refuse('openai', 529),
    refuse('openai', 429, 'slow', { 'retry-after': '2' }),
    say(),
  ]);
  const { pauses, call } = world([at(first, 'a', { retry: { max_attempts: 4 } })]);
  const { attempts } = await call();
  expect(attempts.map(({ error }) => error)).toEqual(['500', '529', '429']);
  expect(pauses).toEqual([100, 200, 2_000]);
});

test('[chat.routing] no retry after silence, nor when Retry-After asks for longer than a caller waits', async () => {
  second.answers(say());
  for (const reply of [silent, refuse('openai', 503, 'later', { 'retry-after': '6' })]) {
    first.answers(reply);
    const { pauses, call } = world([
      at(first, 'a', { timeout_ms: reply === silent ? 60 : 60_000, retry: { max_attempts: 3 } }),
      at(second, 'b'),
    ]);
    expect((await call()).attempts).toHaveLength(1);
    expect(first.requests).toHaveLength(1);
    expect(pauses).toEqual([]);
  }
});

test('[chat.routing] a stream that fails before its first event is tried elsewhere, after it never', async () => {
  const pieces = piecesOf('openai', { text: ['one', 'two'] });
  second.answers(say('from the second'));
  first.answers(stream([], 'break'));
  const { call } = world([at(first, 'a'), at(second, 'b')]);
  expect(JSON.stringify(await read(await call({ stream: true })))).toContain('from the second');
  first.answers(stream(pieces.slice(0, 2), 'break'));
  second.answers(say());
  const answered = await call({ stream: true });
  expect(answered.provider.name).toBe('a');
  await expect(faultOf(read(answered))).resolves.toMatchObject({ kind: 'broken' });
  expect(second.requests).toHaveLength(0);
});

test('when all fail, the fault that tells most is thrown, with every attempt', async () => {
  first.answers(refuse('openai', 429, 'slow', { 'retry-after': '7' }));
  second.answers(reset);
  const fault = await faultOf(world([at(second, 'b'), at(first, 'a'), at(second, 'c')]).call());
  expect(fault).toMatchObject({ provider: 'a', status: 429, retryAfterSeconds: 7 });
  expect(fault.attempts.map(({ provider, error }) => `${provider} ${error}`)).toEqual([
    'b unreachable',
    'a 429',
    'c unreachable',
  ]);
});

test('an abort is final, before, within and between attempts', async () => {
  second.answers(say());
  first.answers(silent);
  const leaving = new AbortController();
  const within = faultOf(world([at(first, 'a'), at(second, 'b')]).call({ signal: leaving.signal }));
  const request = await first.request();
  leaving.abort();
  await request.closed;
  await expect(within).resolves.toMatchObject({ kind: 'aborted', attempts: [{ provider: 'a', error: 'aborted' }] });
  await expect(faultOf(world([at(first, 'a')]).call({ signal: AbortSignal.abort() }))).resolves.toMatchObject({
    kind: 'aborted',
  });
  expect(second.requests).toHaveLength(0);
});

test('[chat.breaker] a provider that keeps failing is left out until its breaker lets a probe through', async () => {
  const breaker = { min_requests: 2, error_rate: 0.5, window_seconds: 30, open_seconds: 15 };
  const { call, time, providers } = world([at(first, 'a', { breaker }), at(second, 'b')]);
  second.answers(say());
  first.answers(refuse('openai', 500));
  for (let n = 0; n < 4; n++) await call();
  expect(first.requests).toHaveLength(2);
  expect((await call()).attempts).toEqual([{ provider: 'a', error: 'breaker_open' }]);
  expect(breakersOf(providers).states()).toEqual({ a: 'open', b: 'closed' });

  time.ms += 15_000;
  const gate = Promise.withResolvers<void>();
  first.answers(stream([gate.promise, ...piecesOf('openai', { text: 'well again' })]));
  const probing = call({ stream: true });
  await first.request();
  const meanwhile = await Promise.all([call(), call()]);
  expect(meanwhile.map(({ provider }) => provider.name)).toEqual(['b', 'b']);
  gate.resolve();
  const probe = await probing;
  expect(probe.provider.name).toBe('a');
  expect(breakersOf(providers).states().a).toBe('closed');
  await read(probe);
});

test('[chat.breaker] limits, wrong requests and callers who leave do not trip it; broken streams do', async () => {
  const breaker = { min_requests: 1, error_rate: 0.1, window_seconds: 30, open_seconds: 15 };
  const { call, providers } = world([at(first, 'a', { breaker })]);
  for (const status of [429, 400, 401, 404]) {
    first.answers(refuse('openai', status));
    await faultOf(call());
  }
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'open'));
  const left = await call({ stream: true });
  if (left.reply.type === 'stream') for await (const _event of left.reply.events) break;
  await (await first.request()).closed;
  expect(breakersOf(providers).states().a).toBe('closed');
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'break'));
  await faultOf(read(await call({ stream: true })));
  expect(breakersOf(providers).states().a).toBe('open');
});

test('each attempt is a span that ends when its answer is settled, with the names of the conventions', async () => {
  first.answers(refuse('openai', 500));
  second.answers(say('Hello'));
  const { spans, call } = world([at(first, 'a'), at(second, 'b')]);
  const answered = await call({ stream: true });
  const events = await read(answered);
  expect(events.length).toBeGreaterThan(0);
  expect(spans.map(({ name, end }) => [name, end])).toEqual([
    ['provider.openai', 'failed'],
    ['provider.openai', undefined],
  ]);
  expect(spans[0]!.attributes).toMatchObject({ 'error.type': '500' });
  answered.settleSpan({ usage: { input_tokens: 11, output_tokens: 7, cache_read_tokens: 3 }, finishReason: 'stop' });
  await new Promise(setImmediate);
  expect(spans[1]!.end).toBe('well');
  expect(spans[1]!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'm-1',
    'gen_ai.request.stream': true,
    'gen_ai.response.id': 'chatcmpl-fake',
    'gen_ai.response.model': 'fake-model',
    'gen_ai.response.finish_reasons': 'stop',
    'gen_ai.response.time_to_first_chunk': 0.002,
    'gen_ai.usage.input_tokens': 11,
    'gen_ai.usage.output_tokens': 7,
    'gen_ai.usage.cache_read.input_tokens': 3,
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(second.url).port),
    tokens_prompt: 11,
    tokens_completion: 7,
    tokens_total: 18,
  });
});

test('a stream that breaks fails its span; a whole reply tells what it is', async () => {
  const { spans, call } = world([at(first, 'a')]);
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'break'));
  const broken = await call({ stream: true });
  await faultOf(read(broken));
  broken.settleSpan({ usage: {} });
  first.answers(say('Hello'));
  const whole = await call();
  if (whole.reply.type === 'json') whole.settleSpan({ body: whole.reply.body, usage: {} });
  await new Promise(setImmediate);
  expect(spans.map(({ end }) => end)).toEqual(['failed', 'well']);
  expect(spans[0]!.attributes).toMatchObject({ 'error.type': 'broken' });
  expect(spans[1]!.attributes).toMatchObject({
    'gen_ai.response.id': 'chatcmpl-fake',
    'gen_ai.response.finish_reasons': 'stop',
  });
});

test('what bodyFor throws reaches the caller: no provider is called, no breaker counts it', async () => {
  first.answers(say());
  const { call, providers } = world([
    at(first, 'a', { breaker: { min_requests: 1, error_rate: 0.1, window_seconds: 9, open_seconds: 9 } }),
  ]);
  const bodyFor = (): JsonObject => {
    throw invalidRequest('cannot be translated');
  };
  await expect(call({ bodyFor })).rejects.toBeInstanceOf(GatewayError);
  expect(first.requests).toHaveLength(0);
  expect(breakersOf(providers).states().a).toBe('closed');
});

test('a route whose providers are all disabled is unavailable', async () => {
  const fault = await faultOf(world([at(first, 'a', { enabled: false })]).call());
  expect(fault).toMatchObject({ kind: 'unavailable', attempts: [] });
});

describe('what callers get', () => {
  const fault = (kind: ProviderFault['kind'], options: ConstructorParameters<typeof ProviderFault>[3] = {}) =>
    new ProviderFault('p', kind, 'detail: http://10.0.0.1 said no', options);

  test.each([
    [fault('timeout'), 'provider_timeout', 504],
    [fault('status', { status: 429, retryAfterSeconds: 7 }), 'rate_limit_error', 429],
    [fault('status', { status: 429 }), 'rate_limit_error', 429],
    [fault('status', { status: 422, told: 'bad' }), 'invalid_request', 400],
    [fault('status', { status: 401 }), 'provider_error', 502],
    [fault('status', { status: 500 }), 'provider_error', 502],
    [fault('unreachable'), 'provider_error', 502],
    [fault('garbage'), 'provider_error', 502],
    [fault('broken'), 'provider_error', 502],
    [fault('unavailable'), 'provider_error', 502],
  ])('[chat.provider-error] [chat.retry-after] %#: generic text, the detail as cause', (given, code, status) => {
    const error = faultToError(given);
    expect(error).toMatchObject({ code, kind: { status } });
    expect(error.retryAfterSeconds).toBe(status === 429 ? (given.retryAfterSeconds ?? 5) : undefined);
    expect(error.cause).toBe(given);
    expect(JSON.stringify(error.toBody())).not.toContain('10.0.0.1');
  });
});
