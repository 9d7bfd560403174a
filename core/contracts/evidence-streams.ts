/** Batches in which AWS delivers new evidence and queued chains to the projection. */
interface StreamBatches {
  readonly mostRecords: number;
  readonly windowSeconds: number;
  /** Invocations at once for a shard of the stream. */
  readonly lanes: number;
}

/**
 * Entries of a session share a partition key, so a lane has them in order. A shard delivers the writes of one partition,
 * 1,000 units per second: at most 500 entries. A session's entries of a window are one object, so a longer window costs
 * less, and more lanes cost more. A record of the stream cannot be changed, so a longer window endangers no entry.
 */
export const entryBatches: StreamBatches = { mostRecords: 1_000, windowSeconds: 20, lanes: 2 };

/**
 * Chains of a tenant share a partition key, and a shard has one lane: one process signs for a tenant and appends to its
 * log, once in this time. Both windows together stay below the 30 seconds of `evidence.at-scale`.
 */
export const chainBatches: StreamBatches = { mostRecords: 1_000, windowSeconds: 5, lanes: 1 };

/** Beginning of the partition keys of queued chains, in the table of observations. */
export const chainQueuePrefix = 'chain-queue#';
