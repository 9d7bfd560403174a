/** Batches in which AWS delivers new evidence and queued chains to the projection. */
interface StreamBatches {
  readonly mostRecords: number;
  readonly windowSeconds: number;
  /** Invocations at once for a shard of the stream. */
  readonly lanes: number;
}

/**
 * Entries of a session share a partition key, so a lane has them in order. A shard delivers the writes of one partition,
 * 1,000 units per second: at most 500 entries. Each lane puts objects of its own, so more lanes cost more.
 */
export const entryBatches: StreamBatches = { mostRecords: 500, windowSeconds: 5, lanes: 2 };

/**
 * Chains of a tenant share a partition key, and a shard has one lane: one process signs for a tenant and appends to its
 * log, once in this time.
 */
export const chainBatches: StreamBatches = { mostRecords: 1_000, windowSeconds: 15, lanes: 1 };

/** Beginning of the partition keys of queued chains, in the table of observations. */
export const chainQueuePrefix = 'chain-queue#';
