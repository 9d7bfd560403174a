/**
 * Shards of a tenant's counters [limit.shards]: the limits of a busy tenant are halved repeatedly, and each part has
 * its own item. A shard is identified by its number and depth: shard `n` at depth `d` splits into `n` and `n + 2^d`.
 * Number and depth determine its share of every limit, so all shares add up to the limit after any splits and merges,
 * without communication between shards.
 */
import { type CounterState, emptyState, type Slice, usedOf } from './counter-state.ts';
import type { BudgetStatus, LimitStatus, Limits, ReserveOutcome, ReserveRequest } from './ports.ts';
import { accountKey } from './spend.ts';
import type { Bucket } from './window.ts';

/**
 * Maximum depth, which allows at most 512 shards. With 48 open calls each, that is about 24,000 per tenant
 * [limit.shards].
 */
export const maxDepth = 9;
/**
 * Depth up to which two requests read all shards. Few tenants have deeper shards, for which readers need four more
 * requests.
 */
export const usualDepth = 6;
export const maxShards = 2 ** maxDepth;

/** Returns the parent of a shard. The latest split is merged first, and all shards descend from shard 0. */
export const parentOf = (shard: number): number => (shard === 0 ? 0 : shard - 2 ** Math.floor(Math.log2(shard)));

/** Returns the shard that is split off from a shard at this depth. */
export const siblingOf = (shard: number, depth: number): number => shard + 2 ** depth;

/** Returns a shard's share of a number. The shares of all shards add up to it. */
export function shareOf(whole: number, shard: number, depth: number): number {
  let share = whole;
  for (let level = 0; level < depth; level++)
    share = (shard >> level) % 2 === 0 ? Math.ceil(share / 2) : Math.floor(share / 2);
  return share;
}

/** Returns the limits at a shard. Like tenants, shards hold slices of global budgets. */
export function limitsAt(limits: Limits, shard: number, depth: number): Limits {
  if (depth === 0) return limits;
  const { holder, requests_per_minute, tokens_per_minute, budgets } = limits;
  const share = (whole: number) => shareOf(whole, shard, depth);
  return {
    ...(holder && { holder }),
    ...(requests_per_minute !== undefined && { requests_per_minute: share(requests_per_minute) }),
    ...(tokens_per_minute !== undefined && { tokens_per_minute: share(tokens_per_minute) }),
    budgets: budgets.map((budget) =>
      budget.scope === 'global' ? budget : { ...budget, limit_microusd: share(budget.limit_microusd) },
    ),
  };
}

/** Minimum number of calls for which a shard has room. With less room, calls would have to try shard after shard. */
const leastCalls = 8;

/**
 * Reports whether, after another split, each half would still have room for a sufficient number of calls like this one.
 */
export function maySplit(state: CounterState, shard: number, request: ReserveRequest, nowMs: number): boolean {
  const { tokens, cost_microusd, limits } = request;
  const {
    requests_per_minute = Infinity,
    tokens_per_minute = Infinity,
    budgets,
  } = limitsAt(limits, shard, state.depth);
  const holds = (room: number, each: number) => room >= 2 * leastCalls * each;
  return (
    holds(requests_per_minute, 1) &&
    holds(tokens_per_minute, tokens) &&
    budgets.every(
      (budget) =>
        budget.scope === 'global' ||
        holds(budget.limit_microusd - usedOf(state, accountKey(budget, nowMs)), Math.max(1, cost_microusd)),
    )
  );
}

/** Splits a shard. Counts are halved, while open reservations stay at the shard in which their calls look for them. */
export function splitShard(state: CounterState): readonly [CounterState, CounterState] {
  const depth = state.depth + 1;
  const windows = state.window.map((bucket) => halves(bucket));
  const spends = Object.entries(state.spend).map(([key, spent]) => [key, Math.floor(spent / 2)] as const);
  const slices = Object.entries(state.slices).map(
    ([key, slice]) => [key, slice, splitSlice(state, key, slice)] as const,
  );
  return [
    {
      ...state,
      depth,
      window: windows.flatMap(([kept]) => kept),
      spend: Object.fromEntries(spends.map(([key, given]) => [key, state.spend[key]! - given])),
      slices: Object.fromEntries(
        slices.map(([key, slice, given]) => [key, { ...slice, granted_microusd: slice.granted_microusd - given }]),
      ),
    },
    {
      ...emptyState,
      depth,
      window: windows.flatMap(([, given]) => given),
      spend: Object.fromEntries(spends.filter(([, given]) => given > 0)),
      slices: Object.fromEntries(
        slices
          .filter(([, , given]) => given > 0)
          .map(([key, slice, given]) => [key, { ...slice, granted_microusd: given }]),
      ),
    },
  ];
}

/**
 * Returns the new shard's part of a slice: half of the spend and half of the free amount, so that neither part contains
 * less than it has used.
 */
function splitSlice(state: CounterState, key: string, slice: Slice): number {
  const free = Math.max(0, slice.granted_microusd - usedOf(state, key));
  return Math.floor((state.spend[key] ?? 0) / 2) + Math.floor(free / 2);
}

/** Halves a bucket; the larger half stays in place. */
function halves({ second, requests, tokens }: Bucket): readonly [Bucket[], Bucket[]] {
  const given = { second, requests: Math.floor(requests / 2), tokens: Math.floor(tokens / 2) };
  const kept = { second, requests: requests - given.requests, tokens: tokens - given.tokens };
  return [kept, given].map((each) => (each.requests + each.tokens > 0 ? [each] : [])) as [Bucket[], Bucket[]];
}

/** Merges several shards into one. */
export function mergeShards(states: readonly CounterState[], depth: number): CounterState {
  const alive = states.filter(({ gone }) => !gone);
  const window = new Map<number, Bucket>();
  const spend: Record<string, number> = {};
  const slices: Record<string, Slice> = {};
  for (const state of alive) {
    for (const { second, requests, tokens } of state.window) {
      const sum = window.get(second) ?? { second, requests: 0, tokens: 0 };
      window.set(second, { second, requests: sum.requests + requests, tokens: sum.tokens + tokens });
    }
    for (const [key, spent] of Object.entries(state.spend)) spend[key] = (spend[key] ?? 0) + spent;
    for (const [key, slice] of Object.entries(state.slices)) slices[key] = mergedSlice(slices[key], slice);
  }
  return {
    window: [...window.values()].sort((a, b) => a.second - b.second),
    spend,
    slices,
    open: alive.flatMap(({ open }) => open),
    depth,
    gone: false,
  };
}

const mergedSlice = (one: Slice | undefined, other: Slice): Slice =>
  one
    ? {
        granted_microusd: one.granted_microusd + other.granted_microusd,
        total_microusd: Math.max(one.total_microusd, other.total_microusd),
        used_at: Math.max(one.used_at, other.used_at),
      }
    : other;

/**
 * Reports whether these are all of a tenant's shards, each exactly once. A shard that was split in the meantime would
 * be counted twice.
 */
export const isWhole = (states: readonly CounterState[]): boolean =>
  states.reduce((sum, { depth }) => sum + 2 ** -depth, 0) === 1;

export const mergedShardState: CounterState = { ...emptyState, gone: true };

/**
 * Returns a shard's outcome for the caller: the tenant's limits, and the shard's remaining amounts multiplied by the
 * number of shards. This is an estimate; `status` adds up all shards.
 */
export function tenantOutcome(outcome: ReserveOutcome, limits: Limits, depth: number): ReserveOutcome {
  if (depth === 0 || !outcome.ok) return outcome;
  const shards = 2 ** depth;
  const left = (what: 'requests' | 'tokens'): LimitStatus => {
    const limit = limits[`${what}_per_minute`];
    const remaining = outcome.limits[`remaining_${what}`];
    if (limit === undefined || remaining === undefined) return {};
    return { [`limit_${what}`]: limit, [`remaining_${what}`]: Math.min(limit, remaining * shards) };
  };
  return {
    ok: true,
    limits: { ...outcome.limits, ...left('requests'), ...left('tokens') },
    budgets: outcome.budgets.map((status, i): BudgetStatus => {
      if (status.scope === 'global') return status;
      const { limit_microusd } = limits.budgets[i]!;
      return { ...status, limit_microusd, used_microusd: Math.min(limit_microusd, status.used_microusd * shards) };
    }),
  };
}
