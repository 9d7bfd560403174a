/** Rate-limit leases: taking, counting and returning. */
import { type CounterState, emptyState } from '#core/limits/counter-state.ts';
import { applyLease, mayLease, type ReturnedLease, rateLeaseSeconds, returnLease } from '#core/limits/leases.ts';
import type { Limits } from '#core/limits/ports.ts';
import { applyReserve } from '#core/limits/state.ts';
import { budget, call, now, refusal } from './sample.ts';

const second = Math.floor(now / 1000);
const limits: Limits = { requests_per_minute: 40, tokens_per_minute: 4000, budgets: [] };

const take = (before: CounterState, id: string, requests: number, of: Limits = limits, returned?: ReturnedLease) =>
  applyLease(before, call(of), { id, requests, ...(returned && { returned }) }, now);

const used = (state: CounterState, requests: number): CounterState => ({
  ...state,
  window: [{ second, requests, tokens: 0 }],
});

describe('[limit.shards] a lease', () => {
  test('is counted in full from the start, in the last second in which it can be used', () => {
    const { state, outcome } = take(emptyState, 'one', 10);
    expect(state.leases).toEqual([{ id: 'one', second: second + rateLeaseSeconds, requests: 10, tokens: 100 }]);
    expect(outcome).toEqual({
      ok: true,
      budgets: [],
      limits: {
        limit_requests: 40,
        remaining_requests: 30,
        reset_requests: 71,
        limit_tokens: 4000,
        remaining_tokens: 3900,
        reset_tokens: 71,
      },
    });
  });

  test('requesting a lease twice returns the same lease', () => {
    const { state } = take(emptyState, 'one', 10);
    const again = take(state, 'one', 10);
    expect(again.state).toBe(state);
    expect(again.outcome).toMatchObject({ ok: true, limits: { remaining_requests: 30 } });
  });

  test.each([
    ['requests', { requests_per_minute: 40, budgets: [] }, 20, true],
    ['requests', { requests_per_minute: 40, budgets: [] }, 21, false],
    ['tokens', { tokens_per_minute: 399, budgets: [] }, 0, true],
    ['tokens', { tokens_per_minute: 132, budgets: [] }, 0, false],
    ['requests, with a quarter that is no whole number', { requests_per_minute: 41, budgets: [] }, 21, false],
  ] as const)('leaves a quarter of the %s to other callers (%j with %i used): %p', (_what, of, before, ok) => {
    const { outcome } = take(used(emptyState, before), 'one', 10, of);
    expect(outcome.ok).toBe(ok);
  });

  test('that is refused has no effect, and reports the limits and the wait time', () => {
    const before = used(emptyState, 35);
    const { state, outcome } = take(before, 'one', 10);
    expect(state).toBe(before);
    expect(refusal(outcome)).toMatchObject({
      what: 'requests_per_minute',
      limits: { limit_requests: 40, remaining_requests: 5 },
    });
  });

  test('leased amounts also count against calls that go to the store', () => {
    const { state } = take(take(emptyState, 'one', 10).state, 'two', 10);
    const asked = (before: CounterState) => applyReserve(before, call(limits), now).outcome;
    expect(asked(used(state, 19)).ok).toBe(true);
    expect(refusal(asked(used(state, 20)))).toMatchObject({ what: 'requests_per_minute' });
  });
});

describe('[limit.shards] a returned lease', () => {
  const { state: held } = take(emptyState, 'one', 10);

  test('is counted only for its spent part', () => {
    const state = returnLease(held, { id: 'one', requests: 3, tokens: 30 }, now);
    expect(state).toMatchObject({ leases: [], window: [{ second, requests: 3, tokens: 30 }] });
  });

  test('that arrives late is counted in its last second, since nothing was spent after that', () => {
    const late = now + (rateLeaseSeconds + 5) * 1000;
    const state = returnLease(held, { id: 'one', requests: 3, tokens: 30 }, late);
    expect(state.window).toEqual([{ second: second + rateLeaseSeconds, requests: 3, tokens: 30 }]);
  });

  test('makes room for the next lease in the same operation', () => {
    const full = take(held, 'two', 10).state;
    expect(take(used(full, 2), 'three', 10).outcome.ok).toBe(false);
    const { state, outcome } = take(used(full, 2), 'three', 10, limits, { id: 'one', requests: 1, tokens: 10 });
    expect(outcome.ok).toBe(true);
    expect(state.leases.map(({ id }) => id)).toEqual(['two', 'three']);
    expect(state.window).toEqual([{ second, requests: 3, tokens: 10 }]);
  });

  test('returning an unknown lease has no effect', () => {
    expect(returnLease(held, { id: 'other', requests: 3, tokens: 30 }, now)).toBe(held);
  });
});

test('[limit.shards] calls with a budget or a cost do not use leases', () => {
  expect(mayLease(call(limits))).toBe(true);
  expect(mayLease(call({ ...limits, budgets: [budget(100)] }))).toBe(false);
  expect(mayLease(call(limits, { cost_microusd: 1 }))).toBe(false);
});
