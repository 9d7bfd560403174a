/**
 * Checkpoints of chains that were archived by several processes: the chains are queued, and one process signs
 * [evidence.checkpoint.queued].
 */
import type { DynamoDBRecord } from 'aws-lambda';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { toItem } from '#adapters/aws/dynamodb/items.ts';
import { chainQueue, isQueuedChain } from '#adapters/tables/chain-queue.ts';
import { contradictionRows } from '#adapters/tables/set-aside-rows.ts';
import type { Row } from '#adapters/tables/store.ts';
import type { ChainPoint, EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { checkedStretches, checkpointStretches } from '#core/evidence/checkpointer.ts';
import { coverQueued } from '#lambdas/project/chains.ts';
import { FakeBucket } from '../support/fake-bucket.ts';
import { recordedStore, testStore } from '../support/store.ts';
import { draft, drafts, seal, signer } from '../unit/evidence/sample.ts';

const clock = { now: () => Date.UTC(2026, 0, 2) };

let world: Awaited<ReturnType<typeof opened>>;
beforeEach(() => {
  world = opened();
});
afterEach(() => world.close());

function opened() {
  const bucket = new FakeBucket();
  const { client } = bucket;
  const own = testStore();
  const { store, of } = recordedStore(own);
  const signed = jest.fn(signer.sign);
  const checkpoints = checkpointBucket({ bucket: 'b', client, signer: { ...signer, sign: signed }, clock });
  const archive = archiveBucket({ bucket: 'b', client });
  const lines: string[] = [];
  const telemetry = { count: () => {}, log: (_level: string, message: string) => void lines.push(message) } as never;
  const contradictions = contradictionRows({ store: own });
  let id = 0;
  const queue = chainQueue({ store, clock, ids: { uuid: () => String(++id) } });
  const leaves: number[] = [];
  const log = {
    append: async (points: readonly ChainPoint[]) => void leaves.push(...points.map(({ index }) => index)),
  };
  return {
    checkpoints,
    lines,
    signed,
    telemetry,
    leaves,
    close: () => own.close(),
    /** Runs one lane of the projection: first the copies, then the queue. */
    async project(entries: readonly EvidenceEntry[]) {
      for (const entry of entries) await archive.keep([entry]);
      await queue.put(await checkedStretches({ clock, contradictions, telemetry }, entries));
    },
    /** Returns all rows queued so far, as the stream delivers them. */
    records: (): DynamoDBRecord[] =>
      of('putMany').flatMap(({ args }) =>
        (args[1] as Row[]).map((row, n) => ({
          dynamodb: { SequenceNumber: String(n + 1), NewImage: toItem(row) as never },
        })),
      ),
    covering: {
      telemetry,
      coverStretches: (stretches: Parameters<typeof checkpointStretches>[1]) =>
        checkpointStretches({ checkpoints, archive, log, clock, contradictions, telemetry }, stretches),
    },
    last: async (session = 's-1') => (await checkpoints.last('default', session))?.point.index,
  };
}

const done = { batchItemFailures: [] };
const more: EntryDraft[] = [...drafts, draft('allow', { n: 5 }, 6), draft('allow', { n: 6 }, 7)];
const other: EntryDraft[] = more.slice(0, 3).map((each) => ({ ...each, session_id: 's-2' }));

describe('[evidence.checkpoint.queued] queued chains', () => {
  test('chains from several lanes and sessions are signed once, with one leaf per session', async () => {
    const { entries } = seal(more);
    await world.project(entries.slice(0, 3));
    await world.project(seal(other).entries);
    await world.project(entries.slice(3));
    const records = world.records();
    expect(records.every(({ dynamodb }) => isQueuedChain(dynamodb?.NewImage as never))).toBe(true);
    expect(await coverQueued(world.covering, records)).toEqual(done);
    expect([await world.last(), await world.last('s-2')]).toEqual([6, 2]);
    expect(world.signed).toHaveBeenCalledTimes(1);
    // Delivered again, the rows change nothing.
    expect(await coverQueued(world.covering, records)).toEqual(done);
    expect(world.leaves.toSorted()).toEqual([2, 6]);
    expect(world.signed).toHaveBeenCalledTimes(1);
    expect(world.lines).toEqual([]);
  });

  test('messages in any order advance the checkpoint to the last archived entry and no further', async () => {
    const [a, b, c, d, e] = seal(more).entries;
    await world.project([d!, e!]);
    await world.project([a!, b!]);
    const records = world.records();
    expect(await coverQueued(world.covering, records)).toEqual(done);
    expect(await world.last()).toBe(1); // the third is in flight
    await world.project([c!]);
    expect(await coverQueued(world.covering, world.records())).toEqual(done);
    expect([await world.last(), world.lines]).toEqual([4, []]);
  });

  test('chains that do not continue from the last checkpoint are refused; the others in the batch are signed', async () => {
    const { entries } = seal(more);
    await world.project(entries.slice(0, 5));
    await coverQueued(world.covering, world.records());
    const forged = seal(more.with(2, { ...more[2]!, body: { other: true } })).entries;
    await world.project(forged.slice(5));
    await world.project(seal(other).entries);
    await coverQueued(world.covering, world.records());
    expect([await world.last(), await world.last('s-2')]).toEqual([4, 2]);
    expect(world.lines).toEqual(['a chain contradicts its evidence']);
  });

  test('altered entries are not queued', async () => {
    const { entries } = seal(more);
    await world.project([entries[0]!, { ...entries[1]!, body: { other: true } }]);
    expect(world.records()).toEqual([]);
    expect(world.lines).toEqual(['a chain contradicts its evidence']);
  });

  test('are redelivered starting from the first one not covered; an unreadable row is skipped', async () => {
    await world.project(seal(more).entries);
    const [record] = world.records();
    const unreadable = { dynamodb: { NewImage: { ...record!.dynamodb!.NewImage, stretches: { S: '[' } } } };
    expect(await coverQueued(world.covering, [unreadable, record!])).toEqual(done);
    expect(await world.last()).toBe(6);
    const failing = { ...world.covering, coverStretches: () => Promise.reject(new Error('no key')) };
    expect(await coverQueued(failing, [record!])).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(world.lines).toEqual(['a queued chain cannot be read', 'queued chains were not covered']);
  });
});
