/** Shards of counters: no order of calls, splits and merges exceeds a limit. */
import * as fc from 'fast-check';
import { type CounterState, emptyState, usedOf } from '#core/limits/counter-state.ts';
import {
  isWhole,
  limitsAt,
  maxDepth,
  mergeShards,
  parentOf,
  shareOf,
  siblingOf,
  splitShard,
} from '#core/limits/shards.ts';
import { applyReserve, applySettle } from '#core/limits/state.ts';
import { stateOf, stateText } from '#core/limits/state-text.ts';
import { budget, call, now } from '../unit/limits/sample.ts';

const month = 'tenant|month|2026-11';
const perMinute = 20;
const dollars = 300;
const held = { requests_per_minute: perMinute, tokens_per_minute: 1000, budgets: [budget(dollars)] };

const which = fc.nat(63);
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('reserve' as const), which, tokens: fc.nat(90), cost: fc.nat(60) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('settle' as const), which, share: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('split' as const, 'merge' as const), which }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(25_000) }) },
);
type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

interface Spent {
  readonly at: number;
  tokens: number;
  cost: number;
}

/** A tenant whose calls are recorded independently. */
class Tenant {
  nowMs = now;
  readonly shards = new Map<number, CounterState>([[0, emptyState]]);
  readonly spent: Spent[] = [];
  readonly open: { readonly id: string; readonly noted: Spent }[] = [];

  play(each: Event): void {
    if (each.type === 'pass') this.nowMs += each.ms;
    else if (each.type === 'reserve') this.#reserve(this.#pick(each.which), each.tokens, each.cost);
    else if (each.type === 'settle') this.#settle(each.which, each.share);
    else if (each.type === 'split') this.#split(this.#pick(each.which));
    else this.#merge(this.#pick(each.which));
  }

  #pick = (n: number): number => [...this.shards.keys()][n % this.shards.size]!;

  #reserve(shard: number, tokens: number, cost: number): void {
    const state = this.shards.get(shard)!;
    const request = call(limitsAt(held, shard, state.depth), { tokens, cost_microusd: cost });
    const step = applyReserve(state, request, this.nowMs);
    this.shards.set(shard, step.state);
    if (!step.outcome.ok) return;
    const noted = { at: this.nowMs, tokens, cost };
    this.spent.push(noted);
    this.open.push({ id: request.id, noted });
  }

  /** Settles a call in the shard that reserved it, or in the shard that it was merged into. */
  #settle(n: number, share: number): void {
    const [one] = this.open.splice(n % Math.max(1, this.open.length), 1);
    if (!one) return;
    const tokens = Math.floor((one.noted.tokens * share) / 100);
    const cost = Math.floor((one.noted.cost * share) / 100);
    const found = [...this.shards].filter(([, { open }]) => open.some(({ id }) => id === one.id));
    expect(found).toHaveLength(1);
    const [[shard, state]] = found as [[number, CounterState]];
    const step = applySettle(state, one.id, { tokens, cost_microusd: cost, counted: true }, this.nowMs);
    expect(step.outcome).toBe(true);
    this.shards.set(shard, step.state);
    Object.assign(one.noted, { tokens, cost });
  }

  #split(shard: number): void {
    const state = this.shards.get(shard)!;
    if (state.depth === maxDepth) return;
    const [kept, given] = splitShard(state);
    expect(this.shards.has(siblingOf(shard, state.depth))).toBe(false);
    this.shards.set(shard, kept).set(siblingOf(shard, state.depth), given);
  }

  /** Merges a shard with its sibling, and with all shards split off from either. */
  #merge(picked: number): void {
    const { depth } = this.shards.get(picked)!;
    if (depth === 0) return;
    const shard = picked % 2 ** (depth - 1);
    const under = [...this.shards].filter(
      ([leaf, state]) => state.depth >= depth - 1 && leaf % 2 ** (depth - 1) === shard,
    );
    for (const [leaf] of under) this.shards.delete(leaf);
    this.shards.set(
      shard,
      mergeShards(
        under.map(([, state]) => state),
        depth - 1,
      ),
    );
  }
}

const played = (events: readonly Event[], check: (tenant: Tenant) => void): void => {
  const tenant = new Tenant();
  for (const each of events) {
    tenant.play(each);
    check(tenant);
  }
};

test('[limit.shards] shards together never exceed the limits in any 60-second period', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      played(events, ({ spent }) => {
        const last = spent.at(-1);
        const window = last ? spent.filter(({ at }) => at > last.at - 60_000) : [];
        expect(window.length).toBeLessThanOrEqual(perMinute);
        expect(window.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(1000);
      });
    }),
    { numRuns: 500 },
  );
});

test('[limit.shards] [limit.budget] the shards together match an independent count, and never exceed the budget', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 80 }), (events) => {
      played(events, ({ spent, shards, nowMs }) => {
        const cost = spent.reduce((sum, one) => sum + one.cost, 0);
        expect(cost).toBeLessThanOrEqual(dollars);
        if (nowMs < Date.UTC(2026, 11, 1)) expect(usedOf(mergeShards([...shards.values()], 0), month)).toBe(cost);
      });
    }),
    { numRuns: 300 },
  );
});

test('[limit.shards] the shares of all shards add up to the limit, and every shard can be read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), fc.nat(1_000_000), (events, limit) => {
      played(events, ({ shards }) => {
        const shares = [...shards].map(([shard, { depth }]) => shareOf(limit, shard, depth));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
        expect(isWhole([...shards.values()])).toBe(true);
        for (const [shard, state] of shards) {
          expect(stateOf(stateText(state))).toEqual(state);
          if (shard > 0 && !shards.has(parentOf(shard))) throw new Error(`${shard} stands without its parent`);
        }
      });
    }),
    { numRuns: 100 },
  );
});
