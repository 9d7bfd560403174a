/**
 * Feeds the ledger's commits to the projector, as Lambda would from the table's stream: in batches, each retried until
 * it succeeds. A state folder has only one process, so every commit comes from this process. Entries lost from the
 * queue in a crash are reread from the log at startup.
 */
import { readFile } from 'node:fs/promises';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { imageOf, type RowPlace } from '#core/evidence/entry-text.ts';
import type { EvidenceLog, Ledger } from '#core/evidence/ports.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { writeDurably } from './durable-file.ts';

interface CommitFeedOptions {
  readonly log: Pick<EvidenceLog, 'audit'>;
  readonly tenants: () => Promise<readonly string[]>;
  readonly handler: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  /**
   * File that holds the time up to which everything is projected. Losing the file only costs work, because each entry
   * is counted once.
   */
  readonly checkpoint: string;
  readonly clock: Clock;
  readonly report: (message: string) => void;
  /** Waits, or returns earlier if stopped. */
  readonly pause?: (ms: number) => Promise<void>;
  /** @default 5,000 entries; tests set a lower limit. */
  readonly maxQueued?: number;
}

export interface CommitFeed {
  /** Accepts a committed entry. */
  readonly committed: (entry: EvidenceEntry) => void;
  /** Returns how long the oldest queued entry has waited; 0 if the queue is empty. */
  lagMs(): number;
  /** Rereads the entries that a crash left unprojected, then follows new commits. */
  start(): Promise<void>;
  /** Finishes the queue. */
  stop(): Promise<void>;
}

/** Entries per read of the log: the marks for a page of this size fit into one transaction. */
const pageSize = 90;
/** Batch size from which projection starts without waiting for more entries. */
const fullBatch = 500;
/**
 * Maximum batch size. Entries that queue up during a batch share the next one, which needs no more files and signatures
 * than a single entry does.
 */
const batchSize = 1_000;
/** Maximum number of queued entries in memory. Later entries are reread from the log. */
const maxQueued = 5_000;
const backoffMs = { first: 200, most: 10_000 };
/**
 * Overlap with projected entries. An entry carries the time at which its step began; if there were conflicts, the
 * commit is a few seconds later.
 */
const overlapMs = 60_000;
const lookBackMs = 7 * 24 * 3_600_000;
/** Shortest interval between checkpoints. */
const checkpointEveryMs = 1_000;
const lingerMs = 500;

/** Returns a ledger that reports every commit. */
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
  const most = options.maxQueued ?? maxQueued;
  let missed: MissedTimes | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;
  let lingering: PromiseWithResolvers<void> | undefined;
  let stopping = false;
  let running: Promise<void> = Promise.resolve();
  let keptAt = 0;
  /** Time since which the oldest entry has been waiting. */
  let behindSince: number | undefined;

  const committed = (entry: EvidenceEntry) => {
    if (missed === undefined && queue.length >= most) missed = new MissedTimes();
    if (missed) missed.add(Date.parse(entry.timestamp));
    else queue.push(entry);
    behindSince ??= clock.now();
    waiting?.resolve();
  };

  async function follow(): Promise<void> {
    for (;;) {
      if (queue.length === 0 && !missed && !stopping) await nextCommit();
      // A batch that is not full waits briefly, so that simultaneous commits share it: a batch costs signatures, synced
      // files, and a file and a row per session, while an additional entry costs none of these.
      if (queue.length < fullBatch && !missed && !stopping) await linger();
      const batch = queue.splice(0, batchSize);
      const goesOn = batch.length > 0 ? await projectAndKeep(batch) : missed ? await projectMissed() : !stopping;
      if (!goesOn) break;
      const [oldest] = queue;
      if (oldest) behindSince = Date.parse(oldest.timestamp);
      else if (!missed) behindSince = undefined;
    }
  }

  /**
   * Projects the entries that did not fit in the queue, oldest first. @returns false if some are left for the next
   * start
   */
  async function projectMissed(): Promise<boolean> {
    const ranges = missed!.ranges();
    missed = undefined;
    for (const range of ranges) {
      const entries = await entriesOf(range);
      if (stopping) return leftForNextStart();
      if (entries.length > 0 && !(await projectAndKeep(entries))) return false;
    }
    return true;
  }

  /**
   * Reads entries oldest first, because chains are followed from their start. Retries until the store responds or the
   * feed stops.
   */
  async function entriesOf({ from, to }: TimeRange): Promise<EvidenceEntry[]> {
    for (let failures = 0; !stopping; failures++) {
      try {
        const entries: EvidenceEntry[] = [];
        for (const tenant of await options.tenants()) {
          try {
            for await (const page of pagesOf(tenant, from, to)) entries.push(...page);
          } catch (fault) {
            // Only an unreachable store delays the other tenants; an unreadable row affects only its own tenant.
            if (!(fault instanceof SyntaxError)) throw fault;
            unread(tenant, fault as Error);
          }
        }
        return entries.reverse();
      } catch (fault) {
        await backOff(failures, `entries were not read: ${(fault as Error).message}`);
      }
    }
    return [];
  }

  const unread = (tenant: string, fault: Error): void =>
    report(
      `Some entries of tenant ${tenant} were not projected again: ${fault.message}. Run \`agentctl archive repair\`.`,
    );

  async function backOff(failures: number, why: string): Promise<void> {
    const delay = Math.min(backoffMs.first * 2 ** failures, backoffMs.most);
    report(`The projection waits ${delay} ms: ${why}.`);
    await pause(delay);
  }

  /** @returns false if the batch was left for the next start, in which case the checkpoint must not move past it */
  async function projectAndKeep(batch: readonly EvidenceEntry[]): Promise<boolean> {
    if (!(await project(batch))) return false;
    await checkpointAfter(batch);
    return true;
  }

  function leftForNextStart(): false {
    report('Some entries were not projected; the next start projects them.');
    return false;
  }

  /** Waits until more entries arrive or the feed stops. */
  function linger(): Promise<void> {
    lingering = Promise.withResolvers();
    void pause(lingerMs).then(lingering.resolve);
    return lingering.promise;
  }

  async function nextCommit(): Promise<void> {
    waiting = Promise.withResolvers();
    await waiting.promise;
  }

  /**
   * Moves the checkpoint at intervals. After a crash, later entries are projected again, but each is counted only once.
   */
  async function checkpointAfter(batch: readonly EvidenceEntry[]): Promise<void> {
    const now = clock.now();
    if (!stopping && now - keptAt < checkpointEveryMs) return;
    keptAt = now;
    // Losing the checkpoint only costs work, so a full disk must not end the projection.
    await keep(batch).catch((fault: Error) =>
      report(`The position of the projection was not stored: ${fault.message}.`),
    );
  }

  /**
   * Projects a batch; returns false if the feed stops first. As on AWS, a failing batch is halved until the faulty
   * session is isolated; the handler then sets that session aside.
   */
  async function project(batch: readonly EvidenceEntry[]): Promise<boolean> {
    const parts = [batch];
    for (let failures = 0; parts.length > 0; ) {
      const part = parts.pop()!;
      const left = await unprojected(part);
      if (left.length === 0) {
        failures = 0;
        continue;
      }
      if (stopping) return leftForNextStart();
      const middle = Math.ceil(left.length / 2);
      if (middle < left.length) parts.push(left.slice(middle));
      parts.push(left.slice(0, middle));
      await backOff(failures++, 'an entry was not projected');
    }
    return true;
  }

  /** Returns the entries starting from the first one that the handler wants redelivered. */
  async function unprojected(part: readonly EvidenceEntry[]): Promise<readonly EvidenceEntry[]> {
    try {
      const { batchItemFailures } = await handler({ Records: part.map(recordOf) });
      const failed = batchItemFailures[0]?.itemIdentifier;
      return failed === undefined
        ? []
        : part.slice(
            Math.max(
              0,
              part.findIndex(({ hash }) => hash === failed),
            ),
          );
    } catch (fault) {
      report(`The projection failed: ${(fault as Error).message}.`);
      return part;
    }
  }

  const keep = (batch: readonly EvidenceEntry[]) =>
    writeDurably(checkpoint, JSON.stringify({ until: batch[0]?.timestamp }));

  async function catchUp(): Promise<void> {
    const now = clock.now();
    const from = Math.max(now - lookBackMs, (await projectedUntil(checkpoint)) - overlapMs);
    for (const tenant of await options.tenants()) {
      try {
        for await (const page of pagesOf(tenant, from, now + overlapMs)) await project(page);
      } catch (fault) {
        unread(tenant, fault as Error);
      }
    }
  }

  async function* pagesOf(tenant: string, from: number, to: number): AsyncIterable<readonly EvidenceEntry[]> {
    let cursor: string | undefined;
    do {
      const unreadable = ({ session_id, index }: RowPlace) =>
        unread(tenant, new Error(`entry ${index} of session ${session_id} cannot be read`));
      const page = await log.audit({ tenant, from, to, limit: pageSize, unreadable, ...(cursor && { cursor }) });
      yield page.items;
      cursor = page.cursor;
    } while (cursor !== undefined && !stopping);
  }

  return {
    committed,
    lagMs: () => (behindSince === undefined ? 0 : Math.max(0, clock.now() - behindSince)),
    async start() {
      behindSince = clock.now(); // until it has caught up
      running = catchUp()
        .catch((fault: Error) => report(`Some entries were not projected again: ${fault.message}`))
        .then(() => {
          if (queue.length === 0 && !missed) behindSince = undefined;
          return follow();
        });
    },
    async stop() {
      stopping = true;
      waiting?.resolve();
      lingering?.resolve();
      await running;
    },
  };
}

/** Range in milliseconds since the epoch, with both ends included. */
interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Times of the commits that did not fit into the queue, as ranges of about one batch of entries each. */
class MissedTimes {
  readonly #starts: number[] = [];
  #count = 0;
  #last = 0;

  add(at: number): void {
    if (this.#count++ % batchSize === 0) this.#starts.push(at);
    this.#last = Math.max(this.#last, at);
    // A commit that met conflicts carries an earlier time than the commits before it.
    if (at < this.#starts[0]!) this.#starts[0] = at;
  }

  /** Returns ranges that cover every added time. */
  ranges(): readonly TimeRange[] {
    const starts = this.#starts.toSorted((a, b) => a - b);
    const ranges = starts.map((from, i) => ({ from, to: i + 1 < starts.length ? starts[i + 1]! - 1 : this.#last }));
    return ranges.filter(({ from, to }) => from <= to);
  }
}

const recordOf = (entry: EvidenceEntry) => ({
  eventName: 'INSERT' as const,
  dynamodb: { SequenceNumber: entry.hash, NewImage: imageOf(entry) },
});

/** Returns the time in milliseconds; 0 for a state folder without a checkpoint. */
async function projectedUntil(checkpoint: string): Promise<number> {
  try {
    const { until } = JSON.parse(await readFile(checkpoint, 'utf8')) as { until?: string };
    return Date.parse(until ?? '') || 0;
  } catch {
    return 0;
  }
}
