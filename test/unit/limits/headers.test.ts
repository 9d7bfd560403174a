/** Limits and budgets in headers and error messages, and surcharges. */
import { emptyState } from '#core/limits/counter-state.ts';
import { limitHeaders } from '#core/limits/headers.ts';
import type { BudgetStatus } from '#core/limits/ports.ts';
import { surchargeOf } from '#core/limits/surcharges.ts';
import { budget, call, counters, refusal, settled } from './sample.ts';

const status = (over: Partial<BudgetStatus> = {}): BudgetStatus => ({
  ...budget(50_000_000),
  used_microusd: 46_500_000,
  reserved_microusd: 0,
  tier: 'warning',
  ...over,
});

describe('[limit.rate] [limit.budget] rate limit and budget headers', () => {
  test('show each limit, the remaining amount and the reset time', () => {
    const tenant = counters(emptyState);
    const outcome = tenant.reserve(call({ requests_per_minute: 3, budgets: [] }));
    expect(limitHeaders(outcome)).toEqual({
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '61s',
    });
    expect(limitHeaders({ ok: true, limits: { limit_tokens: 9 }, budgets: [] })).toEqual({
      'x-ratelimit-limit-tokens': '9',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '0s',
    });
  });

  test.each<[string, Partial<BudgetStatus>, string | undefined]>([
    ['a budget near its end', {}, 'tenant 93% of 50.00 USD'],
    ['a budget at its end', { tier: 'exhausted', used_microusd: 50_000_000 }, 'tenant 100% of 50.00 USD'],
    ['a budget of nothing', { limit_microusd: 0, used_microusd: 0 }, 'tenant 100% of 0.00 USD'],
    ['a name outside ASCII', { account: 'modèle:x' }, 'mod?le:x 93% of 50.00 USD'],
    ['a budget with room', { tier: 'ok' }, undefined],
    ['a budget that alerts only', { tier: 'alert' }, undefined],
  ])('warn of %s', (_what, over, warning) => {
    const headers = limitHeaders({ ok: true, limits: {}, budgets: [status(over)] });
    expect(headers['x-budget-warning']).toBe(warning);
  });
});

describe('[limit.rate] a refusal states the limit, the count and the wait time', () => {
  test.each([
    [{ requests_per_minute: 1 }, 'This tenant may use 1 requests per minute; 1 are counted. Try again in 61 s.'],
    [
      { tokens_per_minute: 15 },
      'This tenant may use 15 tokens per minute; 10 are counted and this call may take 10. Try again in 61 s.',
    ],
    [
      { requests_per_minute: 1, holder: 'key' as const },
      'This key may use 1 requests per minute; 1 are counted. Try again in 61 s.',
    ],
  ])('of %j', (rates, message) => {
    const limits = { ...rates, budgets: [] };
    const tenant = counters(emptyState);
    expect(tenant.reserve(call(limits)).ok).toBe(true);
    const refused = tenant.reserve(call(limits));
    expect(refusal(refused)).toMatchObject({ message });
    expect(limitHeaders(refused)).not.toHaveProperty('x-should-retry');
  });

  test('the error for a call that can never fit within its limit says so', () => {
    const tokens = counters(emptyState).reserve(call({ tokens_per_minute: 5, budgets: [] }));
    expect(refusal(tokens).message).toBe(
      'This tenant may use 5 tokens per minute; this call may take 10, so waiting does not help. Send fewer or smaller calls, or ask an operator to raise the limit.',
    );
    expect(limitHeaders(tokens)).toHaveProperty('x-should-retry', 'false');
    const requests = counters(emptyState).reserve(call({ requests_per_minute: 0, budgets: [] }));
    expect(limitHeaders(requests)).toHaveProperty('x-should-retry', 'false');
    expect(refusal(requests).message).toBe(
      'This tenant may use 0 requests per minute. Send fewer or smaller calls, or ask an operator to raise the limit.',
    );
  });

  test('a finished call that is not counted frees its slot, and tokens are counted by actual use', () => {
    const tenant = counters(emptyState);
    const limits = { requests_per_minute: 2, tokens_per_minute: 100, budgets: [] };
    const [one, two] = [call(limits), call(limits)];
    for (const each of [one, two]) tenant.reserve(each);
    tenant.settle(one.id, settled({ counted: false, tokens: 0 }));
    tenant.settle(two.id, settled({ tokens: 60 }));
    expect(tenant.reserve(call(limits)).limits).toMatchObject({ remaining_requests: 0, remaining_tokens: 30 });
  });

  test('a call that used no tokens still counts as a request', () => {
    const tenant = counters(emptyState);
    const limits = { requests_per_minute: 1, budgets: [] };
    const one = call(limits);
    tenant.reserve(one);
    tenant.settle(one.id, settled({ tokens: 0 }));
    expect(tenant.reserve(call(limits)).ok).toBe(false);
  });
});

test.each([
  ['service_tier', [null, 'auto', 'default', 'flex', 'scale', 'standard', 'standard_only', 'batch', 'on_demand'], 1],
  ['service_tier', ['priority', 'new', 'toString', 7], 2],
  ['speed', ['standard'], 1],
  ['speed', ['fast'], 6],
  ['inference_geo', ['global'], 1],
  ['inference_geo', ['us'], 1.1],
])('[budget.served] a request with %s set to any of %j costs the list price times %d', (member, values, factor) => {
  for (const value of values) expect(surchargeOf({ [member]: value })).toBe(factor);
});

test('[budget.served] surcharges are multiplied', () => {
  expect([surchargeOf({}), surchargeOf({ service_tier: 'priority', speed: 'fast' })]).toEqual([1, 12]);
});
