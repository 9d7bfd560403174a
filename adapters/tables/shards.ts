/**
 * Shards for the rows of one tenant, or of all tenants, whose writes would exceed the capacity of one partition key:
 * DynamoDB accepts 1,000 write units per second per key. A row's shard is derived from its name, so that a read by name
 * needs no search.
 */
import { hash } from 'node:crypto';

/**
 * Number of shards per list. More shards accept more writes per second, but a reader of the list queries each of them.
 */
export const shards = {
  /** A tenant's sessions by opening time: one index row per session. */
  opened: 16,
  /** A tenant's evidence for one day, by time: one index row per entry. */
  time: 32,
  /** A tenant's credentials and capability tickets. */
  credentials: 16,
  /** Due rows of all tenants: credentials to revoke, notifications, approvals and started actions. */
  due: 16,
  /** Sums for a minute across all tenants. All batches of a tenant use the same shard. */
  minutes: 4,
} as const;

/** Returns a name's shard. It never changes, and names are spread evenly. */
export const shardOf = (name: string, count: number): number => hash('sha256', name, 'buffer').readUInt32BE(0) % count;

/** Returns the partition of a list that contains the row with this name. */
export const partitionOf = (list: string, name: string, count: number): string => `${list}#${shardOf(name, count)}`;

/** Returns every partition of a list. */
export const partitionsOf = (list: string, count: number): string[] =>
  Array.from({ length: count }, (_, shard) => `${list}#${shard}`);
