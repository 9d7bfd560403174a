/** Calls along a route, over real HTTP: what is tried, and in which order. */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { faultToError } from '#core/models/routing/fault-to-error.ts';
import { mostSpecificFault } from '#core/models/routing/retry.ts';
import { html, piecesOf, refuse, reset, say, silent, stream } from '../../../support/fake-providers.ts';
import { at, faultOf, first, read, second, world } from './two-providers.ts';

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
    expect(error).toMatchObject({ code: status === 413 ? 'payload_too_large' : 'invalid_request' });
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
describe('[chat.unfit-provider] a provider that cannot be given the request', () => {
  const refusal = invalidRequest('logprobs cannot be carried');
  /** What fits no provider but the second. */
  const bodyFor = ({ name }: { name: string }): JsonObject => {
    if (name !== 'b') throw refusal;
    return {};
  };

  test('is not called, its breaker does not count it, and the caller gets the refusal', async () => {
    first.answers(say());
    const { call, providerBreakers } = world([
      at(first, 'a', { breaker: { min_requests: 1, error_rate: 0.1, window_seconds: 9, open_seconds: 9 } }),
    ]);
    const fault = await faultOf(call({ bodyFor }));
    expect(faultToError(fault)).toBe(refusal);
    expect(fault.attempts).toEqual([{ provider: 'a', error: '400' }]);
    expect(first.requests).toHaveLength(0);
    expect(providerBreakers.states().a).toBe('closed');
  });

  test('is passed over: the next one answers', async () => {
    second.answers(say('from the second'));
    const answered = await world([at(first, 'a'), at(second, 'b')]).call({ bodyFor });
    expect(answered).toMatchObject({ provider: { name: 'b' }, attempts: [{ provider: 'a', error: '400' }] });
  });

  test.each([
    ['a fault that passes', refuse('openai', 529), 'provider_overloaded'],
    ['a connection that breaks', reset, 'provider_error'],
  ])('does not hide %s of another one', async (_title, reply, code) => {
    second.answers(reply);
    const fault = await faultOf(world([at(second, 'b'), at(first, 'a')]).call({ bodyFor }));
    expect(faultToError(fault)).toMatchObject({ code });
  });

  test('says more than one that is switched off, and less than one whose breaker is open', async () => {
    const off = await faultOf(world([at(second, 'b', { enabled: false }), at(first, 'a')]).call({ bodyFor }));
    expect(faultToError(off)).toBe(refusal);
    const unfit = new ProviderFault('a', 'status', 'x', { status: 400, reason: 'unfit' });
    const open = new ProviderFault('b', 'unavailable', 'x', { reason: 'breaker_open' });
    expect(mostSpecificFault([unfit, open])).toBe(open);
  });
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
    [fault('status', { status: 422, shown: 'bad' }), 'invalid_request', 400],
    [fault('status', { status: 401 }), 'provider_error', 502],
    [fault('status', { status: 500 }), 'provider_error', 502],
    [fault('unreachable'), 'provider_error', 502],
    [fault('garbage'), 'provider_error', 502],
    [fault('broken'), 'provider_error', 502],
    [fault('unavailable'), 'provider_error', 502],
    [fault('status', { status: 409 }), 'provider_error', 502],
    [fault('status', { status: 404 }), 'provider_error', 502],
    [fault('status', { status: 404, reason: 'no_model' }), 'model_not_found', 404],
    [fault('status', { status: 408 }), 'provider_timeout', 504],
    [fault('status', { status: 504 }), 'provider_timeout', 504],
    [fault('status', { status: 413, shown: 'bad' }), 'payload_too_large', 413],
    [fault('status', { status: 503 }), 'provider_overloaded', 503],
    [fault('status', { status: 429, reason: 'quota' }), 'rate_limit_error', 429],
  ])('[chat.provider-error] [chat.retry-after] %#: generic text, the detail as cause', (given, code, status) => {
    const error = faultToError(given);
    expect(error).toMatchObject({ code, kind: { status } });
    expect(error.retryAfterSeconds).toBe(status === 429 ? (given.retryAfterSeconds ?? 5) : undefined);
    expect(error.cause).toBe(given);
    expect(JSON.stringify(error.toBody())).not.toContain('10.0.0.1');
  });

  test('[chat.provider-overload] an overload keeps the wait that the provider asks for', () => {
    const error = faultToError(fault('status', { status: 529, retryAfterSeconds: 9 }));
    expect(error).toMatchObject({ code: 'provider_overloaded', kind: { status: 503 }, retryAfterSeconds: 9 });
  });

  test('[chat.provider-overload] of several faults an overload is reported before an error without a word', () => {
    const answers = [new ProviderFault('a', 'status', 'x', { status: 500 }), fault('status', { status: 529 })];
    expect(mostSpecificFault(answers)).toMatchObject({ status: 529 });
  });
});
