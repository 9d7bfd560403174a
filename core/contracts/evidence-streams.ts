/** Batches in which AWS delivers new evidence and queued chains to the projection. */
interface StreamBatches {
  readonly mostRecords: number;
  readonly windowSeconds: number;
  /** Concurrent invocations per shard of the stream. */
  readonly lanes: number;
}

/**
 * Batches of entries. A session's entries share a partition key, so one lane receives them in order. A shard delivers
 * the writes to one partition, 1,000 units per second, which is at most 500 entries. The entries that a session writes
 * within a window form one object, so a longer window costs less, and more lanes cost more. Stream records cannot be
 * changed, so a longer window endangers no entry.
 */
export const entryBatches: StreamBatches = { mostRecords: 1_000, windowSeconds: 20, lanes: 2 };

/**
 * Batches of queued chains. A tenant's chains share a partition key, and a shard has one lane. One process therefore
 * signs for a tenant and appends to its log, once per window. Both windows together stay below the 30 seconds of
 * `evidence.at-scale`.
 */
export const chainBatches: StreamBatches = { mostRecords: 1_000, windowSeconds: 5, lanes: 1 };

/** Prefix of the partition keys of queued chains in the observations table. */
export const chainQueuePrefix = 'chain-queue#';
