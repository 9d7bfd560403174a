/**
 * Reads and writes the `counters` table. Every fault except a conflict becomes `service_unavailable`
 * [error.store-down].
 */
import { isWhole, maxShards, usualDepth } from '#core/limits/shards.ts';
import type { Moves } from '#core/limits/slices.ts';
import {
  type Conflict,
  conflictOf,
  conflictOfPut,
  globalKey,
  globalUpdate,
  type ShardWrite,
  type StoredCounters,
  shardKey,
  shardPut,
  toSeen,
  toTotal,
} from './counters-item.ts';
import { type Store, StoreFault } from './store.ts';

/** Maximum number of reads. Shards are read one by one, and reread if one of them was split or merged meanwhile. */
const maxLooks = 5;

export interface CountersStore {
  read(tenant: string, shard: number): Promise<StoredCounters>;
  /**
   * Reads all current shards, keyed by number. One request reads the first shard; if it was split, another request
   * reads the rest.
   */
  readAll(tenant: string): Promise<ReadonlyMap<number, StoredCounters>>;
  /** Returns the amount of each global budget that all tenants have reserved, by account. */
  readTotals(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Writes everything, including global accounts, or nothing.
   * @returns undefined if the write succeeded; otherwise the store's response for the first shard.
   */
  write(tenant: string, writes: readonly ShardWrite[], moves?: Moves): Promise<Conflict | undefined>;
}

export function countersStore(store: Store): CountersStore {
  async function read(tenant: string, shard: number, together = false): Promise<StoredCounters> {
    return toSeen(await store.get('counters', shardKey(tenant, shard), { together }), shard);
  }

  const readFrom = (tenant: string, first: number, end: number) =>
    Promise.all(
      Array.from(
        { length: end - first },
        async (_, index) => [first + index, await read(tenant, first + index, true)] as const,
      ),
    );

  return {
    read: (tenant, shard) => read(tenant, shard),
    async readAll(tenant) {
      const first = await read(tenant, 0);
      if (first.state.depth === 0) return new Map([[0, first]]);
      for (let looks = 1; ; looks++) {
        const all = await readFrom(tenant, 0, 2 ** usualDepth);
        if (all.some(([, { state }]) => state.depth > usualDepth))
          all.push(...(await readFrom(tenant, 2 ** usualDepth, maxShards)));
        const standing = new Map(all.filter(([, { state }]) => !state.gone));
        const whole = isWhole([...standing.values()].map(({ state }) => state));
        if (whole || looks === maxLooks) return standing;
      }
    },
    async readTotals(keys) {
      const pairs = keys.map(
        async (key): Promise<[string, number]> => [key, toTotal(await store.get('counters', globalKey(key)))],
      );
      return new Map(await Promise.all(pairs));
    },
    async write(tenant, writes, moves = new Map()) {
      const puts = writes.map((write) => shardPut(tenant, write));
      const [first] = writes;
      try {
        if (puts.length === 1 && moves.size === 0)
          return conflictOfPut(await store.put('counters', puts[0]!.row, puts[0]!), first!.shard);
        const updates = [...moves].map(([key, move]) => globalUpdate(key, move));
        const outcome = await store.transact([...puts, ...updates]);
        return outcome === 'written' ? undefined : conflictOf(outcome.reasons, first!.shard);
      } catch (fault) {
        if (fault instanceof StoreFault && fault.reason === 'busy') return {};
        throw fault;
      }
    },
  };
}
