/**
 * Shards for rows of one tenant, or of all, whose writes would exceed one partition key: DynamoDB takes 1,000 write
 * units per second on one. A row's shard follows from its name, so that a read by name needs no search.
 */
import { hash } from 'node:crypto';

/** Shards per list. More shards take more writes per second, but a reader of the list queries each. */
export const shards = {
  /** Sessions of a tenant by opening: one index row per session. */
  opened: 16,
  /** Evidence of a tenant and day by time: one index row per entry. */
  time: 32,
  /** Credentials of a tenant, and its capability tickets. */
  credentials: 16,
  /** Due rows of all tenants: credentials to revoke, notifications, approvals, started actions. */
  due: 16,
  /** Sums of a minute over all tenants. A tenant's batches all use one shard. */
  minutes: 4,
} as const;

/** Returns the shard of a name: always the same, evenly spread. */
export const shardOf = (name: string, count: number): number => hash('sha256', name, 'buffer').readUInt32BE(0) % count;

/** Returns the partition of a list that contains the row of this name. */
export const partitionOf = (list: string, name: string, count: number): string => `${list}#${shardOf(name, count)}`;

/** Returns every partition of a list. */
export const partitionsOf = (list: string, count: number): string[] =>
  Array.from({ length: count }, (_, shard) => `${list}#${shard}`);
