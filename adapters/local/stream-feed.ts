/**
 * Feeds a table's stream to the handler that Lambda would call: batches in order, each until it succeeds, resumed
 * after a restart from the last one that did.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { StreamsApi } from './streams-api.ts';

export interface StreamFeedOptions {
  readonly api: StreamsApi;
  /** ARN of the table's latest stream; another one than last time is read from its beginning. */
  readonly stream: string;
  readonly handler: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  /** File that keeps how far each shard was read. A lost one costs work, not truth: the handler is idempotent. */
  readonly checkpoint: string;
  readonly report: (message: string) => void;
  readonly batchSize?: number;
  readonly idleMs?: number;
}

export interface StreamFeed {
  /** Finishes the batch at hand. */
  stop(): Promise<void>;
}

interface Checkpoint {
  readonly stream: string;
  /** Shard → sequence number of the last record done. */
  readonly shards: Record<string, string>;
}

const backoffMs = { first: 200, most: 10_000 };
const relistEvery = 150; // rounds, about half a minute when idle

export function startStreamFeed(options: StreamFeedOptions): StreamFeed {
  const { api, stream, batchSize = 100, idleMs = 200 } = options;
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  let failures = 0;

  const pause = (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    return Promise.race([promise, stopping.promise]).finally(() => clearTimeout(timer));
  };

  async function run(): Promise<void> {
    const checkpoint = await readCheckpoint(options.checkpoint, stream);
    const iterators = new Map<string, string | undefined>();
    let shards: readonly string[] = [];
    for (let round = 0; !stopped; round++) {
      try {
        if (round % relistEvery === 0 || shards.length === 0) shards = await api.shards(stream);
        let busy = false;
        for (const shard of shards) busy = (await readShard(shard, iterators, checkpoint)) || busy;
        failures = 0;
        if (!busy) await pause(idleMs);
      } catch (fault) {
        iterators.clear(); // what was handed out may have expired; the checkpoint knows where to read on
        await backOff(fault, checkpoint);
      }
    }
  }

  /** One batch of one shard; false when there was nothing. */
  async function readShard(shard: string, iterators: Map<string, string | undefined>, { shards }: Checkpoint) {
    if (!iterators.has(shard)) iterators.set(shard, await api.iterator(stream, shard, shards[shard]));
    const iterator = iterators.get(shard);
    if (iterator === undefined || stopped) return false; // a closed shard, read to its end
    const { records, next } = await api.records(iterator, batchSize);
    if (records.length === 0) {
      iterators.set(shard, next);
      return false;
    }
    const { batchItemFailures } = await options.handler({ Records: records });
    const failed = batchItemFailures[0]?.itemIdentifier;
    const done =
      failed === undefined ? records.length : records.findIndex((r) => r.dynamodb?.SequenceNumber === failed);
    const last = records[done - 1]?.dynamodb?.SequenceNumber;
    if (last !== undefined) {
      shards[shard] = last;
      await writeCheckpoint(options.checkpoint, { stream, shards });
    }
    if (failed !== undefined) throw new Error(`the record ${failed} was not projected`);
    iterators.set(shard, next);
    return true;
  }

  async function backOff(fault: unknown, { shards }: Checkpoint): Promise<void> {
    const { name, message } = fault as Error;
    if (stopped) return;
    if (name === 'ExpiredIteratorException') return;
    if (name === 'TrimmedDataAccessException') for (const shard of Object.keys(shards)) delete shards[shard];
    const delay = Math.min(backoffMs.first * 2 ** failures++, backoffMs.most);
    options.report(`The evidence stream waits ${delay} ms: ${message}`);
    await pause(delay);
  }

  const running = run();
  return {
    stop: async () => {
      stopped = true;
      stopping.resolve();
      await running;
    },
  };
}

async function readCheckpoint(path: string, stream: string): Promise<Checkpoint> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8')) as Checkpoint;
    if (kept.stream === stream) return kept;
  } catch {
    // none yet, or torn by a crash: from the beginning
  }
  return { stream, shards: {} };
}

async function writeCheckpoint(path: string, checkpoint: Checkpoint): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.tmp`, JSON.stringify(checkpoint));
  await rename(`${path}.tmp`, path);
}
