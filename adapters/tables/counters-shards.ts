/**
 * Spreads a tenant's counters [limit.shards]: over one item while few processes write them, and over up to 512 while
 * many do. A shard is split when writes are lost to other processes. It is merged when traffic is low, or when its
 * share is too small for a call that the tenant has capacity for.
 */
import type { Clock } from '#core/kernel/ports.ts';
import { type CounterState, usedOf } from '#core/limits/counter-state.ts';
import type { ReserveOutcome, ReserveRequest } from '#core/limits/ports.ts';
import {
  limitsAt,
  maxDepth,
  maySplit,
  mergedShardState,
  mergeShards,
  siblingOf,
  splitShard,
} from '#core/limits/shards.ts';
import { applyReserve } from '#core/limits/state.ts';
import { inWindow, itemSecond, total } from '#core/limits/window.ts';
import type { ShardWrite, StoredCounters } from './counters-item.ts';
import type { CountersQueue } from './counters-queue.ts';
import type { CountersStore } from './counters-store.ts';

type Leaves = ReadonlyMap<number, StoredCounters>;

/** The whole tenant's capacity for a call that one of its shards refused. */
type TenantCapacity =
  | { readonly shard: number }
  | { readonly refused: ReserveOutcome }
  /** The capacity is divided into parts that are too small, and other processes are writing them. */
  | 'scattered';

export interface CountersShards {
  /** Makes room for more writers, unless there are already 512 shards or the shares would become too `small`. */
  split(shard: number, request: ReserveRequest): Promise<'split' | 'lost' | 'deepest' | 'small'>;
  /** Reads all shards, because a refusal depends on their sum. */
  roomFor(request: ReserveRequest, refusedBy: string): Promise<TenantCapacity>;
  /** Merges pairs of shards that had few calls in the last minute. */
  mergeCalm(tenant: string): Promise<void>;
}

/** Requests per minute, and open calls, below which two shards are merged. */
const calm = { requests: 60, open: 8 } as const;

export function countersShards(
  store: CountersStore,
  queue: CountersQueue,
  clock: Clock,
  random: () => number,
): CountersShards {
  return {
    async split(shard, request) {
      const { tenant } = request;
      const seen = await store.read(tenant, shard);
      queue.remember(tenant, shard, seen);
      if (seen.state.gone || seen.state.depth === maxDepth) return 'deepest';
      if (!maySplit(seen.state, shard, request, clock.now())) return 'small';
      const sibling = siblingOf(shard, seen.state.depth);
      const empty = await store.read(tenant, sibling);
      const [kept, given] = splitShard(seen.state);
      return (await rewrite(tenant, [
        { shard, seen, state: kept },
        { shard: sibling, seen: empty, state: given },
      ]))
        ? 'split'
        : 'lost';
    },

    async roomFor(request, refusedBy) {
      const { tenant, limits } = request;
      const leaves = await store.readAll(tenant);
      for (const [shard, seen] of leaves) queue.remember(tenant, shard, seen);
      const now = clock.now();
      // Slices of global budgets may still grow, unless such a budget refused the call.
      const wanted = () => (refusedBy.startsWith('global') ? undefined : new Map());
      const total = settledWhole(mergeShards(statesOf(leaves), 0));
      const { outcome } = applyReserve(total, request, now, wanted());
      if (!outcome.ok) return { refused: outcome };
      const fits = (state: CounterState, shard: number) =>
        applyReserve(state, { ...request, limits: limitsAt(limits, shard, state.depth) }, now, wanted()).outcome.ok;
      const roomy = [...leaves].filter(([shard, { state }]) => fits(state, shard)).map(([shard]) => shard);
      if (roomy.length > 0) return { shard: roomy[Math.floor(random() * roomy.length)]! };
      const shard = await mergeUntil(tenant, leaves, fits);
      return shard === undefined ? 'scattered' : { shard };
    },

    async mergeCalm(tenant) {
      const leaves = await store.readAll(tenant);
      const deepest = depthOf(leaves);
      for (let shard = 0; deepest > 0 && shard < 2 ** (deepest - 1); shard++) {
        const under = leavesUnder(leaves, shard, deepest - 1);
        if (under.size > 1 && isCalm(mergeShards(statesOf(under), 0), clock.now()))
          await merge(tenant, under, shard, deepest - 1);
      }
    },
  };

  /**
   * Merges the smallest part of the tree that has enough capacity. Returns undefined if another process was writing
   * there.
   */
  async function mergeUntil(
    tenant: string,
    leaves: Leaves,
    fits: (state: CounterState, shard: number) => boolean,
  ): Promise<number | undefined> {
    for (let depth = depthOf(leaves) - 1; depth >= 0; depth--) {
      for (let shard = 0; shard < 2 ** depth; shard++) {
        const under = leavesUnder(leaves, shard, depth);
        if (under.size < 2 || !fits(mergeShards(statesOf(under), depth), shard)) continue;
        return (await merge(tenant, under, shard, depth)) ? shard : undefined;
      }
    }
    return undefined;
  }

  function merge(tenant: string, under: Leaves, shard: number, depth: number): Promise<boolean> {
    const one = mergeShards(statesOf(under), depth);
    const others = [...under].filter(([other]) => other !== shard);
    return rewrite(tenant, [
      { shard, seen: under.get(shard)!, state: one },
      ...others.map(([other, seen]) => ({ shard: other, seen, state: mergedShardState })),
    ]);
  }

  async function rewrite(tenant: string, writes: readonly ShardWrite[]): Promise<boolean> {
    if (await store.write(tenant, writes)) return false;
    for (const { shard, seen, state } of writes) queue.remember(tenant, shard, { version: seen.version + 1, state });
    return true;
  }
}

const statesOf = (leaves: Leaves): CounterState[] => [...leaves.values()].map(({ state }) => state);

const depthOf = (leaves: Leaves): number => Math.max(...statesOf(leaves).map(({ depth }) => depth));

/** Returns the shards that were split off from this one at this depth, including the shard itself. */
const leavesUnder = (leaves: Leaves, shard: number, depth: number): Leaves =>
  new Map([...leaves].filter(([leaf, { state }]) => state.depth >= depth && leaf % 2 ** depth === shard));

/**
 * Treats every open call as if it had cost the full amount it reserved. Each shard limits its own number of open calls.
 */
const settledWhole = (state: CounterState): CounterState => {
  const keys = new Set([...Object.keys(state.spend), ...state.open.flatMap(({ accounts }) => accounts)]);
  return { ...state, spend: Object.fromEntries([...keys].map((key) => [key, usedOf(state, key)])), open: [] };
};

/**
 * Checks whether traffic is low. Stored windows keep old buckets until the next call, so only the last minute's buckets
 * count.
 */
const isCalm = ({ window, open }: CounterState, nowMs: number): boolean =>
  open.length < calm.open && total(inWindow(window, itemSecond(window, nowMs)), 'requests') < calm.requests;
