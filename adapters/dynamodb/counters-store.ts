/**
 * Reads and writes the table `counters` [limit.rate.fails-closed]: every fault except a conflict is
 * `service_unavailable`.
 */
import { randomUUID } from 'node:crypto';
import { GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { isWhole, maxShards } from '#core/limits/shards.ts';
import type { Moves } from '#core/limits/slices.ts';
import {
  type Conflict,
  conflictOf,
  getParams,
  globalKey,
  globalUpdate,
  type ShardWrite,
  type StoredCounters,
  shardKey,
  shardPut,
  toSeen,
  toTotal,
} from './counters-item.ts';
import { sharedReads } from './grouped-reads.ts';
import { type Item, storeDown, stored } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** Shards are read one by one. If one was split or merged meanwhile, they are read again, at most this often. */
const maxLooks = 5;

export interface CountersStore {
  read(tenant: string, shard: number): Promise<StoredCounters>;
  /** Reads all current shards, by number. One request reads the first; another reads the rest if it was split. */
  readAll(tenant: string): Promise<ReadonlyMap<number, StoredCounters>>;
  /** Returns the amount of each global budget that all tenants have reserved, by account. */
  readTotals(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Writes all or nothing, including global accounts.
   * @returns undefined if it was written; otherwise the store's answer for the first shard.
   */
  write(tenant: string, writes: readonly ShardWrite[], moves?: Moves): Promise<Conflict | undefined>;
}

export function countersStore({ client, tables }: StoreOptions): CountersStore {
  const table = tables.counters;
  const get = async (key: Item) => (await stored(client.send(new GetItemCommand(getParams(table, key))))).Item;

  async function read(tenant: string, shard: number): Promise<StoredCounters> {
    return toSeen(await get(shardKey(tenant, shard)), shard);
  }

  return {
    read,
    async readAll(tenant) {
      const first = await read(tenant, 0);
      if (first.state.depth === 0) return new Map([[0, first]]);
      const inGroup = sharedReads(client, table);
      const shards = Array.from({ length: maxShards }, (_, shard) => shard);
      for (let looks = 1; ; looks++) {
        const all = await Promise.all(
          shards.map(async (shard) => [shard, toSeen(await inGroup(shardKey(tenant, shard)), shard)] as const),
        );
        const standing = new Map(all.filter(([, { state }]) => !state.gone));
        const whole = isWhole([...standing.values()].map(({ state }) => state));
        if (whole || looks === maxLooks) return standing;
      }
    },
    async readTotals(keys) {
      const pairs = keys.map(async (key): Promise<[string, number]> => [key, toTotal(await get(globalKey(key)))]);
      return new Map(await Promise.all(pairs));
    },
    async write(tenant, writes, moves = new Map()) {
      const puts = writes.map((write) => shardPut(table, tenant, write));
      const [first] = puts;
      try {
        if (puts.length === 1 && moves.size === 0) await client.send(new PutItemCommand(first!));
        else {
          const updates = [...moves].map(([key, move]) => globalUpdate(table, key, move));
          // The client repeats a lost request with the same token, so that amounts are not moved twice.
          const ClientRequestToken = randomUUID();
          const TransactItems = [...puts.map((Put) => ({ Put })), ...updates];
          await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken }));
        }
        return undefined;
      } catch (cause) {
        const conflict = conflictOf(cause, writes[0]!.shard);
        if (!conflict) throw storeDown(cause);
        return conflict;
      }
    },
  };
}
