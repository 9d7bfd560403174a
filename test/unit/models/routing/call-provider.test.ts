/** Calls along a route, over real HTTP: attempts, order, and circuit breakers. */
import * as z from 'zod';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { faultToError } from '#core/models/routing/fault-to-error.ts';
import { mostSpecificFault } from '#core/models/routing/retry.ts';
import { html, piecesOf, refuse, reset, say, silent, stream } from '../../../support/fake-providers.ts';
import { providerEntry } from '../../../support/provider-entry.ts';
import { readCases } from '../../../support/yaml.ts';
import { at, faultOf, first, read, second, world } from './two-providers.ts';

const { faults } = readCases(
  'test/unit/models/routing/call-provider.yaml',
  z.strictObject({
    faults: z.array(
      z.tuple([
        z.enum(['timeout', 'status', 'unreachable', 'garbage', 'broken', 'unavailable']),
        z.record(z.string(), z.union([z.string(), z.number()])),
        z.string(),
        z.number(),
      ]),
    ),
  }),
);

test.each([
  ['a connection that breaks', reset, 'unreachable'],
  ['a server error', refuse('openai', 500), '500'],
  ['a limit', refuse('openai', 429, 'slow', { 'retry-after': '60' }), '429'],
  ['a wrong key', refuse('openai', 401), '401'],
  ['a page of HTML', html(), 'garbage'],
  ['silence', silent, 'timeout'],
])('[chat.routing] after %s, the next provider in the route responds', async (_title, reply, error) => {
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
test.each([400, 413, 422])('a provider’s rejection of the request itself (%d) is final', async (status) => {
  first.answers(refuse('openai', status, 'too many stops'));
  second.answers(say());
  const fault = await faultOf(world([at(first, 'a', { retry: { max_attempts: 3 } }), at(second, 'b')]).call());
  expect(fault).toMatchObject({ status, attempts: [{ provider: 'a', error: String(status) }] });
  expect(first.requests).toHaveLength(1);
  expect(second.requests).toHaveLength(0);
  const error = faultToError(fault);
  expect(error).toMatchObject({ code: status === 413 ? 'payload_too_large' : 'invalid_request' });
  expect(error.message).toContain('too many stops');
});
test('[chat.routing] the same provider is retried after a growing random delay, or after its Retry-After', async () => {
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
test('[chat.routing] does not retry after a timeout or if Retry-After is longer than a caller waits', async () => {
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
test('[chat.routing] a stream is retried with another provider if it fails before its first event, but not afterwards', async () => {
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
test('if all providers fail, the most specific error is thrown, with every attempt listed', async () => {
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
test('an abort is final, whether before or during an attempt', async () => {
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
describe('[chat.translated-members] a provider that cannot handle the request', () => {
  const refusal = invalidRequest('logprobs cannot be carried');
  /** Returns a body that only the second provider can handle. */
  const bodyFor = ({ name }: { name: string }): JsonObject => {
    if (name !== 'b') throw refusal;
    return {};
  };

  test('is not called or counted by its breaker, and the caller gets the refusal', async () => {
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

  test('is skipped, and the next provider responds', async () => {
    second.answers(say('from the second'));
    const answered = await world([at(first, 'a'), at(second, 'b')]).call({ bodyFor });
    expect(answered).toMatchObject({ provider: { name: 'b' }, attempts: [{ provider: 'a', error: '400' }] });
  });

  test.each([
    ['a fault that passes', refuse('openai', 529), 'provider_overloaded'],
    ['a connection that breaks', reset, 'provider_error'],
  ])('does not hide %s from another provider', async (_title, reply, code) => {
    second.answers(reply);
    const fault = await faultOf(world([at(second, 'b'), at(first, 'a')]).call({ bodyFor }));
    expect(faultToError(fault)).toMatchObject({ code });
  });

  test('takes precedence over a disabled provider, but not over one whose breaker is open', async () => {
    const off = await faultOf(world([at(second, 'b', { enabled: false }), at(first, 'a')]).call({ bodyFor }));
    expect(faultToError(off)).toBe(refusal);
    const unfit = new ProviderFault('a', 'status', 'x', { status: 400, reason: 'unfit' });
    const open = new ProviderFault('b', 'unavailable', 'x', { reason: 'breaker_open' });
    expect(mostSpecificFault([unfit, open])).toBe(open);
  });
});
describe("the callers' answers", () => {
  const fault = (kind: ProviderFault['kind'], options: ConstructorParameters<typeof ProviderFault>[3] = {}) =>
    new ProviderFault('p', kind, 'detail: http://10.0.0.1 said no', options);

  test.each(faults)(
    '[chat.provider-error] %#: the caller gets generic text, and the detail is kept as the cause',
    (kind, options, code, status) => {
      const given = fault(kind, options);
      const error = faultToError(given);
      expect(error).toMatchObject({ code, kind: { status } });
      expect(error.retryAfterSeconds).toBe(status === 429 ? (given.retryAfterSeconds ?? 5) : undefined);
      expect(error.cause).toBe(given);
      expect(JSON.stringify(error.toBody())).not.toContain('10.0.0.1');
    },
  );

  test('[chat.provider-error] if several providers fail, an overload takes precedence over an error without a message', () => {
    const answers = [new ProviderFault('a', 'status', 'x', { status: 500 }), fault('status', { status: 529 })];
    expect(mostSpecificFault(answers)).toMatchObject({ status: 529 });
  });
});

const mock = providerEntry({ name: 'mock', type: 'mock' });
test('[chat.breaker] the mock replaces a failed provider only if the route lists it', async () => {
  first.answers(refuse('openai', 503));
  expect((await world([at(first, 'a'), mock]).call()).provider.name).toBe('mock');
  await expect(faultOf(world([at(first, 'a')]).call())).resolves.toMatchObject({ status: 503 });
});
test('[chat.breaker] a provider that keeps failing is skipped until its breaker allows a probe', async () => {
  const breaker = { min_requests: 2, error_rate: 0.5, window_seconds: 30, open_seconds: 15 };
  const { call, time, providerBreakers } = world([at(first, 'a', { breaker }), at(second, 'b')]);
  second.answers(say());
  first.answers(refuse('openai', 500));
  for (let n = 0; n < 4; n++) await call();
  expect(first.requests).toHaveLength(2);
  expect((await call()).attempts).toEqual([{ provider: 'a', error: 'breaker_open' }]);
  expect(providerBreakers.states()).toEqual({ a: 'open', b: 'closed' });

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
  expect(providerBreakers.states().a).toBe('closed');
  await read(probe);
});
test('[chat.breaker] a caller without another provider learns when the next trial call is due, but after other faults not', async () => {
  const breaker = { min_requests: 1, error_rate: 0.5, window_seconds: 30, open_seconds: 15 };
  first.answers(refuse('openai', 500));
  const { call } = world([at(first, 'a', { breaker })]);
  const errors = [await faultOf(call()), await faultOf(call())].map((fault) => faultToError(fault));
  expect(errors.map(({ code, retryAfterSeconds }) => [code, retryAfterSeconds])).toEqual([
    ['provider_error', undefined],
    ['provider_error', 15],
  ]);
});
test('[chat.breaker] rate limits, invalid requests and disconnected callers do not trip the breaker, but broken streams do', async () => {
  const breaker = { min_requests: 1, error_rate: 0.1, window_seconds: 30, open_seconds: 15 };
  const { call, providerBreakers } = world([at(first, 'a', { breaker })]);
  for (const status of [429, 400, 401, 404]) {
    first.answers(refuse('openai', status));
    await faultOf(call());
  }
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'open'));
  const left = await call({ stream: true });
  if (left.reply.type === 'stream') for await (const _event of left.reply.events) break;
  await (await first.request()).closed;
  expect(providerBreakers.states().a).toBe('closed');
  first.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'break'));
  await faultOf(read(await call({ stream: true })));
  expect(providerBreakers.states().a).toBe('open');
});
