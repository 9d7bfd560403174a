/** Batches of archived entries: first write, repeated write, and reading a large session. */
import { archiveBucket, archiveKey } from '#adapters/aws/archive-bucket.ts';
import type { EntryDraft, Verification } from '#core/contracts/evidence.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import { type LiveSession, verifyLive, verifyLiveSteps } from '#core/evidence/live.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { archivedHashes } from '../support/archived-hashes.ts';
import { runs } from '../support/extent.ts';
import { FakeBucket } from '../support/fake-bucket.ts';
import { draft, memoryManifests, seal, signer } from '../unit/evidence/sample.ts';

const chain = (count: number): EntryDraft[] => Array.from({ length: count }, (_, n) => draft('allow', { n }, n));
const kept = () => {
  const bucket = new FakeBucket(7);
  return { bucket, archive: archiveBucket({ bucket: 'b', client: bucket.client }) };
};
async function listOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}
const tenant = 'default';
const session = 's-1';

describe('[evidence.archive] a batch', () => {
  const { entries } = seal(chain(12));

  test('writes one object a run, and again the same object when it is repeated', async () => {
    const { bucket, archive } = kept();
    await archive.keep(entries);
    const stored = [...bucket.objects];
    expect(stored).toHaveLength(1);
    expect(stored[0]![0]).toBe(`default/s-1/000000000000-000000000011-${entries[11]!.hash}.jsonl`);
    expect(stored[0]![1].split('\n')).toEqual(entries.map((entry) => canonicalize(entry)));
    await archive.keep(entries.toReversed());
    expect([...bucket.objects]).toEqual(stored);
  });

  test('cut otherwise by a retry, is read back once', async () => {
    const { bucket, archive } = kept();
    for (const part of [entries.slice(0, 5), entries.slice(3, 9), entries.slice(4, 5), entries.slice(9)]) {
      await archive.keep(part);
    }
    expect(bucket.objects.size).toBe(4);
    expect([...(await archivedHashes(archive, tenant, session))]).toEqual(
      entries.map(({ index, hash }) => [index, [hash]]),
    );
    expect(await listOf(archive.entries(tenant, session, 4))).toEqual(entries.slice(4));
  });

  test('is read together with entries that an earlier release kept one by one', async () => {
    const { bucket, archive } = kept();
    for (const entry of entries.slice(0, 4)) bucket.objects.set(archiveKey([entry]), canonicalize(entry));
    await archive.keep(entries.slice(4));
    expect(await listOf(archive.entries(tenant, session, 0))).toEqual(entries);
    expect((await archivedHashes(archive, tenant, session)).size).toBe(12);
  });
});

describe('[evidence.large-sessions] a session of many thousand entries', () => {
  const total = runs(50_000, 10_000);
  const runLength = 50;
  const { entries, head } = seal(chain(total));
  const { bucket, archive } = kept();
  /** The chain's reader stands before this entry. */
  let read = 0;
  /** How far the archive was read ahead of the chain, in entries. */
  let ahead = 0;
  const source = () =>
    firstEntries(
      (async function* () {
        read = 0;
        for (const entry of entries) {
          read = entry.index;
          yield entry;
        }
      })(),
      total,
    );
  const places = () => {
    const all = archive.hashes(tenant, session);
    return (async function* () {
      for await (const place of all) yield place;
    })();
  };
  const live = (): LiveSession => ({
    head,
    entries: source,
    signer,
    sessionManifests: memoryManifests(),
    witness: {
      archived: { end: total - 1, places, unreadable: String },
      archiveComplete: true,
      notChecked: [],
      at: Date.UTC(2026, 0, 3),
    },
  });

  beforeAll(async () => {
    for (let n = 0; n < total; n += runLength) await archive.keep(entries.slice(n, n + runLength));
    const objects = bucket.objects.get.bind(bucket.objects);
    bucket.objects.get = (key) => {
      ahead = Math.max(ahead, Number(/\/(\d{12})-/.exec(key)?.[1]) - read);
      return objects(key);
    };
  });

  test('is verified against the archive with a few runs at hand', async () => {
    const { verification } = await verifyLive(live());
    expect(verification).toMatchObject({ valid: true, total_entries: total, archived_entries: total });
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThanOrEqual(10 * runLength);
  });

  test('is listed line by line, each made on demand', async () => {
    const steps = verifyLiveSteps(live());
    let lines = 0;
    let early = 0;
    let verdict: Verification | undefined;
    for (let step = await steps.next(); ; step = await steps.next()) {
      if (step.done) {
        verdict = step.value;
        break;
      }
      if (read !== step.value.index) early++;
      lines++;
    }
    expect({ lines, early, valid: verdict.valid }).toEqual({ lines: total, early: 0, valid: true });
  });
});
