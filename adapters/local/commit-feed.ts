/**
 * Feeds the projector what the ledger commits, as Lambda would feed it the table's stream: in batches, each until it
 * succeeds. A state folder has one process, so its own commits are all there are; what a crash took from the queue is
 * read again from the log at start (`docs/decisions/0016`).
 */
import { readFile } from 'node:fs/promises';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { imageOf } from '#core/evidence/entry-text.ts';
import type { EvidenceLog, Ledger } from '#core/evidence/ports.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { writeDurably } from './durable-file.ts';

export interface CommitFeedOptions {
  readonly log: Pick<EvidenceLog, 'audit'>;
  readonly tenants: () => Promise<readonly string[]>;
  readonly handler: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  /** File that keeps up to which time everything is projected. A lost one costs work, not truth: entries count once. */
  readonly checkpoint: string;
  readonly clock: Clock;
  readonly report: (message: string) => void;
  /** Waits, or returns earlier when it is stopped. */
  readonly pause?: (ms: number) => Promise<void>;
}

export interface CommitFeed {
  /** An entry that was committed. */
  readonly committed: (entry: EvidenceEntry) => void;
  /** Reads again what a crash left, then follows the commits. */
  start(): Promise<void>;
  /** Finishes what is queued. */
  stop(): Promise<void>;
}

const batchSize = 90;
const backoffMs = { first: 200, most: 10_000 };
/** Entries carry the time at which their step began; a commit that met conflicts comes a few seconds later. */
const overlapMs = 60_000;
const lookBackMs = 7 * 24 * 3_600_000;
/** How often the checkpoint moves at most. */
const checkpointEveryMs = 1_000;
const lingerMs = 250;

/** A ledger that reports every commit. */
export const observedLedger = (ledger: Ledger, committed: CommitFeed['committed']): Ledger => ({
  async commit(step) {
    const outcome = await ledger.commit(step);
    if (outcome.ok) committed(outcome.entry);
    return outcome;
  },
});

export function createCommitFeed(options: CommitFeedOptions): CommitFeed {
  const { log, clock, handler, checkpoint, report } = options;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const queue: EvidenceEntry[] = [];
  let waiting: PromiseWithResolvers<void> | undefined;
  let stopping = false;
  let running: Promise<void> = Promise.resolve();
  let keptAt = 0;

  const committed = (entry: EvidenceEntry) => {
    queue.push(entry);
    waiting?.resolve();
  };

  async function follow(): Promise<void> {
    for (;;) {
      if (queue.length === 0 && !stopping) await nextCommit();
      // A batch that is not full waits a little, so that the commits of the same moment share it: a batch costs signatures and
      // synced files, an entry more does not.
      if (queue.length < batchSize && !stopping) await pause(lingerMs);
      const batch = queue.splice(0, batchSize);
      if (batch.length > 0) {
        await project(batch);
        await checkpointAfter(batch);
      } else if (stopping) break;
    }
  }

  async function nextCommit(): Promise<void> {
    waiting = Promise.withResolvers();
    await waiting.promise;
  }

  /** Now and then: what lies behind the checkpoint is projected again after a crash, and counts once. */
  async function checkpointAfter(batch: readonly EvidenceEntry[]): Promise<void> {
    const now = clock.now();
    if (!stopping && now - keptAt < checkpointEveryMs) return;
    keptAt = now;
    await keep(batch);
  }

  /** Until it is done: an entry that cannot be projected holds up those behind it, as on AWS. */
  async function project(batch: readonly EvidenceEntry[]): Promise<void> {
    let left = batch;
    for (let failures = 0; left.length > 0; failures++) {
      const { batchItemFailures } = await handler({ Records: left.map(recordOf) });
      const failed = batchItemFailures[0]?.itemIdentifier;
      const at = failed === undefined ? left.length : left.findIndex(({ hash }) => hash === failed);
      left = left.slice(at);
      if (left.length === 0) return;
      if (stopping) return report('Entries were left for the next start to project.');
      const delay = Math.min(backoffMs.first * 2 ** failures, backoffMs.most);
      report(`The projection waits ${delay} ms: an entry was not projected.`);
      await pause(delay);
    }
  }

  const keep = (batch: readonly EvidenceEntry[]) =>
    writeDurably(checkpoint, JSON.stringify({ until: batch[0]?.timestamp }));

  async function catchUp(): Promise<void> {
    const now = clock.now();
    const from = Math.max(now - lookBackMs, (await projectedUntil(checkpoint)) - overlapMs);
    for (const tenant of await options.tenants()) {
      let cursor: string | undefined;
      do {
        const page = await log.audit({
          tenant,
          from,
          to: now + overlapMs,
          limit: batchSize,
          ...(cursor && { cursor }),
        });
        await project(page.items);
        cursor = page.cursor;
      } while (cursor !== undefined && !stopping);
    }
  }

  return {
    committed,
    async start() {
      running = catchUp()
        .catch((fault: Error) => report(`Not everything was projected again: ${fault.message}`))
        .then(follow);
    },
    async stop() {
      stopping = true;
      waiting?.resolve();
      await running;
    },
  };
}

const recordOf = (entry: EvidenceEntry) => ({
  eventName: 'INSERT' as const,
  dynamodb: { SequenceNumber: entry.hash, NewImage: imageOf(entry) },
});

/** Milliseconds; 0 for a state folder without a checkpoint. */
async function projectedUntil(checkpoint: string): Promise<number> {
  try {
    const { until } = JSON.parse(await readFile(checkpoint, 'utf8')) as { until?: string };
    return Date.parse(until ?? '') || 0;
  } catch {
    return 0;
  }
}
