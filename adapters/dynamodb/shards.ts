/**
 * Where rows of one tenant, or of all, lie when one partition key would take all their writes: DynamoDB takes 1,000 write
 * units a second on one partition key. A row's shard follows from its name, so that a read by name needs no search.
 */
import { hash } from 'node:crypto';

/** Shards per list. More of them take more writes a second; a reader of the list asks each. */
export const shards = {
  /** Sessions of a tenant by opening: one index row a session. */
  opened: 16,
  /** Evidence of a tenant and day by time: one index row an entry. */
  time: 32,
  /** Credentials of a tenant, and its capability tickets. */
  credentials: 16,
  /** What is due, of all tenants: credentials to call back, notifications, approvals, started actions. */
  due: 16,
  /** Sums of a minute over all tenants: a tenant's batches all go to one of them. */
  minutes: 4,
} as const;

/** The shard of a name: the same forever, evenly spread. */
export const shardOf = (name: string, count: number): number => hash('sha256', name, 'buffer').readUInt32BE(0) % count;

/** The partition of a list in which the row of this name lies. */
export const partitionOf = (list: string, name: string, count: number): string => `${list}#${shardOf(name, count)}`;

/** Every partition of a list. */
export const partitionsOf = (list: string, count: number): string[] =>
  Array.from({ length: count }, (_, shard) => `${list}#${shard}`);
