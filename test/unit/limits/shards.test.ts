/** Shards of a tenant's counters: their shares add up, and callers see the tenant's limits. */
import { emptyState } from '#core/limits/counter-state.ts';
import {
  isWhole,
  limitsAt,
  maxDepth,
  maxShards,
  maySplit,
  mergeShards,
  shareOf,
  splitShard,
  tenantOutcome,
} from '#core/limits/shards.ts';
import { budget, call, globalBudget, now } from './sample.ts';

const limits = { requests_per_minute: 101, tokens_per_minute: 1_001, budgets: [budget(1_000_001), globalBudget(77)] };

test('[limit.shards] the limits of all shards add up to the tenant’s limit, but a global budget is not divided', () => {
  for (const depth of [1, 2, 3]) {
    const shards = Array.from({ length: 2 ** depth }, (_, shard) => limitsAt(limits, shard, depth));
    const sum = (of: (each: (typeof shards)[number]) => number) => shards.reduce((all, each) => all + of(each), 0);
    expect(sum((each) => each.requests_per_minute!)).toBe(101);
    expect(sum((each) => each.tokens_per_minute!)).toBe(1_001);
    expect(sum((each) => each.budgets[0]!.limit_microusd)).toBe(1_000_001);
    expect(new Set(shards.map((each) => each.budgets[1]!.limit_microusd))).toEqual(new Set([77]));
  }
  expect(limitsAt(limits, 0, 0)).toBe(limits);
  expect(limitsAt({ ...limits, holder: 'key' }, 1, 1).holder).toBe('key');
  expect([shareOf(101, 0, 1), shareOf(101, 1, 1), shareOf(101, 2, 2), shareOf(101, 3, 2)]).toEqual([51, 50, 25, 25]);
});

test('[limit.shards] a shard can split if each part still has capacity for eight calls like the current one', () => {
  const may = (over: object, state = emptyState, more: object = {}) =>
    maySplit(state, 0, call({ budgets: [], ...over }, { tokens: 10, cost_microusd: 5, ...more }), now);
  expect([may({}), may({ requests_per_minute: 16 }), may({ requests_per_minute: 15 })]).toEqual([true, true, false]);
  expect([may({ tokens_per_minute: 160 }), may({ tokens_per_minute: 159 })]).toEqual([true, false]);
  expect([may({ budgets: [budget(80)] }), may({ budgets: [budget(79)] })]).toEqual([true, false]);
  expect(may({ budgets: [globalBudget(1)] })).toBe(true);
  // Even a call that costs nothing needs free capacity.
  expect(may({ budgets: [budget(15)] }, emptyState, { cost_microusd: 0 })).toBe(false);
});

test('[limit.shards] splitting counters and merging them gives the same state', () => {
  const state = {
    ...emptyState,
    window: [
      { second: 5, requests: 3, tokens: 11 },
      { second: 6, requests: 1, tokens: 0 },
    ],
    spend: { 'tenant#2026-11': 7, one: 1 },
    slices: { global: { granted_microusd: 21, total_microusd: 100, used_at: 3 } },
  };
  const [kept, given] = splitShard(state);
  expect(kept.window).toEqual([
    { second: 5, requests: 2, tokens: 6 },
    { second: 6, requests: 1, tokens: 0 },
  ]);
  expect(given.window).toEqual([{ second: 5, requests: 1, tokens: 5 }]);
  expect([kept.spend, given.spend]).toEqual([{ 'tenant#2026-11': 4, one: 1 }, { 'tenant#2026-11': 3 }]);
  expect(mergeShards([kept, given, { ...given, gone: true }], 0)).toEqual(state);
});

test('[limit.shards] a set of shards is complete if it contains each part of the tenant exactly once', () => {
  const at = (...depths: number[]) => isWhole(depths.map((depth) => ({ ...emptyState, depth })));
  expect([at(0), at(1, 1), at(1, 2, 2)]).toEqual([true, true, true]);
  expect([at(1), at(1, 1, 2), at()]).toEqual([false, false, false]);
});

test('[limit.shards] a call on one shard gets the tenant’s limits and an estimate of the remaining amount', () => {
  const outcome = {
    ok: true,
    limits: { limit_requests: 26, remaining_requests: 20, reset_requests: 61 },
    budgets: [
      { ...budget(250), used_microusd: 100, reserved_microusd: 0, tier: 'ok' },
      { ...globalBudget(77), used_microusd: 5, reserved_microusd: 0, tier: 'ok' },
    ],
  } as const;
  const whole = { requests_per_minute: 101, budgets: [budget(1_000), globalBudget(77)] };
  expect(tenantOutcome(outcome, whole, 2)).toMatchObject({
    limits: { limit_requests: 101, remaining_requests: 80, reset_requests: 61 },
    budgets: [
      { limit_microusd: 1_000, used_microusd: 400 },
      { limit_microusd: 77, used_microusd: 5 },
    ],
  });
  expect(tenantOutcome(outcome, whole, 2).limits).not.toHaveProperty('limit_tokens');
  expect(tenantOutcome(outcome, whole, 0)).toBe(outcome);
  // The remaining and the used amounts never exceed the whole limit.
  expect(tenantOutcome(outcome, whole, 4)).toMatchObject({
    limits: { remaining_requests: 101 },
    budgets: [{ used_microusd: 1_000 }, {}],
  });
});

test('[limit.shards] there are at most 512 shards, and splitting a slice gives each part half of the spent and half of the free amount', () => {
  expect([maxDepth, maxShards]).toEqual([9, 512]);
  const slice = (granted_microusd: number) => ({ granted_microusd, total_microusd: 100, used_at: 3 });
  const parts = (spent: number) =>
    splitShard({ ...emptyState, spend: spent > 0 ? { global: spent } : {}, slices: { global: slice(21) } }).map(
      ({ slices, spend }) => [slices.global?.granted_microusd, spend.global],
    );
  expect(parts(0)).toEqual([
    [11, undefined],
    [10, undefined],
  ]);
  expect(parts(8)).toEqual([
    [11, 4],
    [10, 4],
  ]);
});
