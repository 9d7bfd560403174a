/** The commit feed over the real ledger: every commit once, in batches, and again what a crash took. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { evidenceTable } from '#adapters/dynamodb/evidence-table.ts';
import { dynamoLedger } from '#adapters/dynamodb/ledger.ts';
import { type CommitFeed, createCommitFeed, observedLedger } from '#adapters/local/commit-feed.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { startDynamo } from '../support/dynamo.ts';

let server: Awaited<ReturnType<typeof startDynamo>>;
let folder: string;

beforeAll(async () => {
  server = await startDynamo();
  folder = await mkdtemp(join(tmpdir(), 'commit-feed-'));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let runs = 0;
async function setting(fail: (entry: EvidenceEntry) => boolean = () => false) {
  const store = { client: server.client(), tables: await server.createTables(`f${++runs}-`) };
  const log = evidenceTable(store);
  const seen: string[] = [];
  const batches: number[] = [];
  const reports: string[] = [];
  const handler = async ({ Records }: DynamoDBStreamEvent) => {
    batches.push(Records.length);
    for (const { dynamodb } of Records) {
      const entry = JSON.parse(dynamodb?.NewImage?.entry?.S ?? '') as EvidenceEntry;
      if (fail(entry)) return { batchItemFailures: [{ itemIdentifier: dynamodb?.SequenceNumber ?? '' }] };
      seen.push(entry.envelope_id);
    }
    return { batchItemFailures: [] };
  };
  const checkpoint = join(folder, `checkpoint-${runs}.json`);
  /** @param tenants whose log is read again at the start. */
  const makeFeed = (tenants: readonly string[] = ['t'], pause: () => Promise<void> = async () => {}) =>
    createCommitFeed({
      ...{ log, handler, checkpoint, clock: { now: () => Date.now() }, report: (line) => void reports.push(line) },
      tenants: async () => tenants,
      pause,
    });
  const commitThrough = (committed: CommitFeed['committed'], body: Record<string, unknown> = {}) => {
    const ledger = observedLedger(dynamoLedger(store), committed);
    return (n: number) =>
      ledger.commit({
        draft: {
          ...{ tenant: 't', session_id: `s${n % 3}`, timestamp: new Date().toISOString(), kind: 'allow' as const },
          ...{ envelope_id: `e${n}`, actor: { key_id: 'k' }, body },
        },
      });
  };
  return { makeFeed, commitThrough, seen, batches, reports };
}

const numbers = Array.from({ length: 25 }, (_, n) => n);

test('[audit.projections] every commit is projected, and stopping finishes the queue', async () => {
  const { makeFeed, commitThrough, seen } = await setting();
  const feed = makeFeed();
  await feed.start();
  const commit = commitThrough(feed.committed);
  await Promise.all(numbers.map(commit));
  await feed.stop();
  expect(new Set(seen)).toEqual(new Set(numbers.map((n) => `e${n}`)));
});

test('[audit.batches] commits that come while a batch waits to fill share it', async () => {
  const { makeFeed, commitThrough, seen, batches } = await setting();
  let goOn = Promise.withResolvers<void>();
  const feed = makeFeed([], () => goOn.promise);
  await feed.start();
  const commit = commitThrough(feed.committed);
  for (const n of numbers.slice(0, 12)) await commit(n);
  const first = goOn;
  goOn = Promise.withResolvers();
  first.resolve();
  while (seen.length < 12) await new Promise(setImmediate);
  for (const n of numbers.slice(12)) await commit(n);
  goOn.resolve();
  await feed.stop();
  expect(batches).toEqual([12, 13]);
});

test('[evidence.one-text] the members of a draft are read once for hash, store and projection', async () => {
  const { makeFeed, commitThrough, seen } = await setting();
  let reads = 0;
  const body = {
    last: 1,
    get counted() {
      reads++;
      return 'once';
    },
  };
  const feed = makeFeed([]);
  await feed.start();
  const outcome = await commitThrough(feed.committed, body)(0);
  await feed.stop();
  expect(seen).toEqual(['e0']);
  expect(outcome).toMatchObject({ ok: true, entry: { body: { counted: 'once' } } });
  expect(reads).toBe(1);
});

test('what a crash took from the queue is projected at the next start', async () => {
  const { makeFeed, commitThrough, seen } = await setting();
  const commit = commitThrough(() => {}); // as if the process died before its feed came to them
  for (const n of numbers) await commit(n);
  const feed = makeFeed();
  await feed.start();
  await feed.stop();
  expect(new Set(seen)).toEqual(new Set(numbers.map((n) => `e${n}`)));
});

test('an entry that cannot be projected is tried again and holds up what follows', async () => {
  let faults = 2;
  const { makeFeed, commitThrough, seen, reports } = await setting(
    ({ envelope_id }) => envelope_id === 'e1' && faults-- > 0,
  );
  const feed = makeFeed([]);
  await feed.start();
  const commit = commitThrough(feed.committed);
  for (const n of [0, 1, 2]) await commit(n);
  while (seen.length < 3) await new Promise(setImmediate);
  await feed.stop();
  expect(seen).toEqual(['e0', 'e1', 'e2']);
  expect(reports).toHaveLength(2);
});
