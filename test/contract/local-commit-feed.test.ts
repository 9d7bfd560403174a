/** The commit feed over the real ledger: each commit once, in batches, and again after a crash. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { type CommitFeed, createCommitFeed, observedLedger } from '#adapters/local/commit-feed.ts';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { testStore } from '../support/store.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commit-feed-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const runs = 0;
async function setting(fail: (entry: EvidenceEntry) => boolean = () => false) {
  const store = { store: testStore() };
  const table = evidenceTable(store);
  const reads = { failing: 0 };
  const log: typeof table = {
    ...table,
    audit: async (query) => {
      if (query.tenant === 'unreadable') throw new SyntaxError('a row is not JSON');
      if (reads.failing-- > 0) throw new Error('the store is away');
      return table.audit(query);
    },
  };
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
  /** @param tenants whose log is re-read at the start. */
  const makeFeed = (
    tenants: readonly string[] = ['t'],
    pause: () => Promise<void> = async () => {},
    maxQueued?: number,
    handled = handler,
  ) =>
    createCommitFeed({
      ...(maxQueued !== undefined && { maxQueued }),
      log,
      handler: handled,
      checkpoint,
      clock: { now: () => Date.now() },
      report: (line) => void reports.push(line),
      tenants: async () => tenants,
      pause,
    });
  const commitThrough = (committed: CommitFeed['committed'], body: Record<string, unknown> = {}) => {
    const ledger = observedLedger(tableLedger(store), committed);
    return (n: number) =>
      ledger.commit({
        draft: {
          tenant: 't',
          session_id: `s${n % 3}`,
          timestamp: new Date().toISOString(),
          kind: 'allow' as const,
          envelope_id: `e${n}`,
          actor: { key_id: 'k' },
          body,
        },
      });
  };
  const until = async () => (JSON.parse(await readFile(checkpoint, 'utf8')) as { until?: string }).until;
  return { makeFeed, commitThrough, seen, batches, reports, until, reads };
}

const numbers = Array.from({ length: 25 }, (_, n) => n);

test('[observations.once] every commit is projected, and stopping the feed drains the queue', async () => {
  const { makeFeed, commitThrough, seen } = await setting();
  const feed = makeFeed();
  await feed.start();
  const commit = commitThrough(feed.committed);
  await Promise.all(numbers.map(commit));
  await feed.stop();
  expect(new Set(seen)).toEqual(new Set(numbers.map((n) => `e${n}`)));
});

test('[audit.views-worker] commits that arrive while a batch is filling join that batch', async () => {
  const { makeFeed, commitThrough, seen, batches } = await setting();
  let goOn = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const feed = makeFeed([], () => {
    waits.resolve();
    return goOn.promise;
  });
  await feed.start();
  const commit = commitThrough(feed.committed);
  for (const n of numbers.slice(0, 12)) await commit(n);
  await waits.promise;
  const first = goOn;
  goOn = Promise.withResolvers();
  first.resolve();
  while (seen.length < 12) await new Promise(setImmediate);
  for (const n of numbers.slice(12)) await commit(n);
  goOn.resolve();
  await feed.stop();
  expect(batches).toEqual([12, 13]);
});

test('[audit.views-worker] the feed reports how long the oldest entry has been waiting', async () => {
  const { makeFeed, commitThrough } = await setting();
  const go = Promise.withResolvers<void>();
  const feed = makeFeed([], undefined, undefined, async () => {
    await go.promise;
    return { batchItemFailures: [] };
  });
  await feed.start();
  await commitThrough(feed.committed)(0);
  while (feed.lagMs() === 0) await new Promise(setImmediate);
  go.resolve();
  while (feed.lagMs() > 0) await new Promise(setImmediate);
  await feed.stop();
});

test('[audit.views-worker] a stopping feed does not wait for more commits', async () => {
  const { makeFeed, commitThrough, seen, batches } = await setting();
  const feed = makeFeed([], () => new Promise(() => {}));
  await feed.start();
  const commit = commitThrough(feed.committed);
  for (const n of numbers.slice(0, 3)) await commit(n);
  await feed.stop();
  expect([seen.length, batches]).toEqual([3, [3]]);
});

test("[evidence.chain] a draft's members are read only once for the hash, the store and the projection", async () => {
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

test('entries lost from the queue in a crash are projected at the next start', async () => {
  const { makeFeed, commitThrough, seen } = await setting();
  const commit = commitThrough(() => {}); // as if the process died before its feed processed them
  for (const n of numbers) await commit(n);
  const feed = makeFeed();
  await feed.start();
  await feed.stop();
  expect(new Set(seen)).toEqual(new Set(numbers.map((n) => `e${n}`)));
});

test('an entry that cannot be projected is retried and blocks later ones', async () => {
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

/** Creates a paused feed and commits more entries than its queue can hold. */
async function overfull() {
  const made = await setting();
  const [held, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pause = () => {
    waits.resolve();
    return held.promise;
  };
  const feed = made.makeFeed(['t'], pause, 4);
  await feed.start();
  const commit = made.commitThrough(feed.committed);
  await commit(0);
  await waits.promise; // the initial read has returned the existing entries
  made.seen.length = 0;
  for (const n of numbers.slice(1)) await commit(n);
  return { ...made, feed, commit, goOn: () => held.resolve() };
}

test('[audit.views-worker] entries that do not fit in the queue are read from the log in order', async () => {
  const { feed, seen, goOn, commit } = await overfull();
  goOn();
  while (new Set(seen).size < numbers.length) await new Promise(setImmediate);
  await commit(25); // the queue accepts entries again
  await feed.stop();
  expect(new Set(seen)).toEqual(new Set([...numbers, 25].map((n) => `e${n}`)));
  for (const session of [0, 1, 2]) {
    const own = [...new Set(seen)].map((id) => Number(id.slice(1))).filter((n) => n % 3 === session);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
  }
});

test('[audit.views-worker] a log that is temporarily unreadable is read as soon as possible', async () => {
  const { feed, seen, goOn, reads, reports } = await overfull();
  reads.failing = 2;
  goOn();
  while (new Set(seen).size < numbers.length) await new Promise(setImmediate);
  await feed.stop();
  expect(reports).toEqual(
    [200, 400].map((ms) => `The projection waits ${ms} ms: entries were not read: the store is away.`),
  );
});

test('[audit.views-worker] entries not reread before shutdown are projected at the next start', async () => {
  const { feed, makeFeed, seen, goOn, until, reports } = await overfull();
  const stopped = feed.stop();
  goOn();
  await stopped;
  expect(reports).toEqual(['Some entries were not projected; the next start projects them.']);
  expect(seen).toEqual(['e0', 'e1', 'e2', 'e3']);
  expect(Date.parse((await until())!)).toBeLessThanOrEqual(Date.now());
  const next = makeFeed();
  await next.start();
  await next.stop();
  expect(new Set(seen)).toEqual(new Set(numbers.map((n) => `e${n}`)));
});

test('[audit.set-aside] a failing batch is halved until the faulty entry is isolated, and a handler that throws does not stop the feed', async () => {
  const sizes: number[] = [];
  const projected = new Set<string>();
  const all = Promise.withResolvers<void>();
  const { makeFeed, commitThrough } = await setting();
  const handler = async ({ Records }: DynamoDBStreamEvent) => {
    sizes.push(Records.length);
    const entries = Records.map(({ dynamodb }) => JSON.parse(dynamodb?.NewImage?.entry?.S ?? '') as EvidenceEntry);
    const bad = entries.find(({ envelope_id }) => envelope_id === 'e7');
    // Like the projector: an entry that arrives on its own is set aside.
    if (bad && entries.length > 1) throw new Error('poison');
    for (const { envelope_id } of entries) projected.add(envelope_id);
    if (projected.size === 16) all.resolve();
    return { batchItemFailures: [] };
  };
  const feed = makeFeed(['t'], undefined, undefined, handler);
  const commit = commitThrough(feed.committed);
  for (let n = 0; n < 16; n++) await commit(n);
  await feed.start();
  await all.promise;
  await feed.stop();
  expect(sizes).toContain(1);
  expect(sizes.length).toBeLessThan(14);
});

test('[store.sweep] a tenant with unreadable rows is reported, and the others are projected, both at startup and after a full queue', async () => {
  const { makeFeed, commitThrough, seen, reports } = await setting();
  const before = commitThrough(() => {});
  for (let n = 0; n < 3; n++) await before(n);
  const full = Promise.withResolvers<void>();
  const feed = makeFeed(['unreadable', 't'], () => full.promise, 2);
  await feed.start();
  while (seen.length < 3) await new Promise(setImmediate);
  const commit = commitThrough(feed.committed);
  for (let n = 3; n < 9; n++) await commit(n);
  full.resolve();
  while (new Set(seen).size < 9) await new Promise(setImmediate);
  await feed.stop();
  const left =
    'Some entries of tenant unreadable were not projected again: a row is not JSON. Run `agentctl archive repair`.';
  expect(reports.length).toBeGreaterThan(1);
  expect(new Set(reports)).toEqual(new Set([left]));
});
