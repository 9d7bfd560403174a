/** Rows of the `counters` table, and how they are read and written [limit.shards]. */

import { type CounterState, emptyState } from '#core/limits/counter-state.ts';
import { mergedShardState } from '#core/limits/shards.ts';
import type { Move } from '#core/limits/slices.ts';
import { stateOf, stateText } from '#core/limits/state-text.ts';
import { type Key, type Reason, type Row, StoreFault, type Write, type WriteOutcome } from './store.ts';

/** Counters of a tenant's shard, as read from the store. Version 0 means that the store has no item. */
export interface StoredCounters {
  readonly version: number;
  readonly state: CounterState;
}

/**
 * Returns the counters of a shard that has no item. Only the first shard starts this way; other shards are created by a
 * split.
 */
const emptyShard = (shard: number): StoredCounters => ({
  version: 0,
  state: shard === 0 ? emptyState : mergedShardState,
});

/** Returns a shard's id. The shard's number comes first, because a tenant may have any name. */
const shardId = (tenant: string, shard: number): string =>
  shard === 0 ? `tenant#${tenant}` : `shard#${shard}#${tenant}`;
const globalId = (key: string): string => `global#${key}`;

export const shardKey = (tenant: string, shard: number): Key => ({ id: shardId(tenant, shard) });
export const globalKey = (key: string): Key => ({ id: globalId(key) });

/** Parses a row. @throws StoreFault if it cannot be read */
export function toSeen(row: Row | undefined, shard: number): StoredCounters {
  if (!row) return emptyShard(shard);
  try {
    return { version: Number(row.version), state: stateOf(String(row.state ?? '')) };
  } catch (cause) {
    throw new StoreFault(cause);
  }
}

export const toTotal = (row: Row | undefined): number => Number(row?.granted ?? 0);

/** A shard's new counters and those they replace. */
export interface ShardWrite {
  readonly shard: number;
  readonly seen: StoredCounters;
  readonly state: CounterState;
}

/**
 * Puts the next version if the version that was read is still current. A refused put returns the current row, which
 * saves a read.
 */
export const shardPut = (tenant: string, { shard, seen, state }: ShardWrite): Write & { readonly row: Row } => ({
  put: 'counters',
  row: { id: shardId(tenant, shard), version: seen.version + 1, state: stateText(state) },
  if: seen.version === 0 ? { absent: 'id' } : { equals: ['version', seen.version] },
  current: true,
});

/** Changes a global account. The total granted stays within the limit under which the grant was made. */
export const globalUpdate = (key: string, { microusd, limit_microusd }: Move): Write => ({
  update: 'counters',
  key: globalKey(key),
  change: { add: { granted: microusd } },
  ...(limit_microusd !== undefined && {
    if: { any: [{ absent: 'granted' }, { atMost: ['granted', limit_microusd - microusd] }] },
  }),
});

/** Rejection of a write because another process wrote first. */
export interface Conflict {
  /** The current counters, if the store returned them. */
  readonly current?: StoredCounters;
}

/** Returns a put's conflict, if another process wrote first. */
export const conflictOfPut = ({ written, row }: WriteOutcome, shard: number): Conflict | undefined =>
  written ? undefined : { current: toSeen(row, shard) };

/** Returns a transaction's conflict, if another process wrote first. @throws StoreFault for another reason */
export function conflictOf(reasons: readonly Reason[], shard: number): Conflict {
  if (reasons.some(({ code }) => code === 'fault')) throw new StoreFault(new Error('The transaction was cancelled.'));
  const [first] = reasons;
  return first?.code === 'condition' ? { current: toSeen(first.row, shard) } : {};
}
