/** The archive's runs: what a batch writes, what a repeated batch writes, and what readers hold of a large session. */
import { archiveBucket, archiveKey } from '#adapters/aws/archive-bucket.ts';
import type { EntryDraft, EvidenceEntry, Verification } from '#core/contracts/evidence.ts';
import { archivedEnd, maxEntriesPerRun, runsOf } from '#core/evidence/archived.ts';
import { bundleChunks, firstEntries } from '#core/evidence/bundle.ts';
import { type LiveSession, verifyLive, verifyLiveSteps } from '#core/evidence/live.ts';
import { signedManifest } from '#core/evidence/sign.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { archivedHashes } from '../support/archived-hashes.ts';
import { runs } from '../support/extent.ts';
import { FakeBucket } from '../support/fake-bucket.ts';
import { draft, memoryManifests, seal, signer, trustedKey } from '../unit/evidence/sample.ts';

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

describe('[evidence.archive.batch] a batch', () => {
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

  test('with entries that do not follow each other becomes several runs, none longer than the longest', () => {
    const lengths = (some: readonly EvidenceEntry[]) => runsOf(some).map(({ length }) => length);
    expect(lengths([...entries.slice(0, 3), ...entries.slice(5)])).toEqual([3, 7]);
    const forged = { ...entries[4]!, previous_hash: 'f'.repeat(64), hash: 'e'.repeat(64) };
    expect(lengths(entries.with(4, forged))).toEqual([4, 1, 7]);
    expect(lengths(seal(chain(2 * maxEntriesPerRun + 1)).entries)).toEqual([maxEntriesPerRun, maxEntriesPerRun, 1]);
  });

  test('whose object does not hold what its name says is not believed', async () => {
    const { bucket, archive } = kept();
    const run = entries.slice(0, 6);
    bucket.objects.set(
      archiveKey(run),
      run
        .toSpliced(2, 1)
        .map((entry) => canonicalize(entry))
        .join('\n'),
    );
    await expect(archivedHashes(archive, tenant, session)).rejects.toThrow('are not what their name says');
  });

  test('that cannot be read midway is said not to be checked, and does not make the chain invalid', async () => {
    const { head } = seal(chain(12));
    const places = async function* () {
      yield { index: 0, hashes: [entries[0]!.hash] };
      throw new Error('bucket down');
    };
    const archived = { end: 11, places, unreadable: (fault: unknown) => `archive not checked: ${fault}` };
    const witness = { archived, archiveComplete: true, notChecked: [], at: Date.UTC(2026, 0, 3) };
    const manifests = memoryManifests();
    const { verification } = await verifyLive({
      head,
      entries: () => firstEntries(entries, 12),
      signer,
      sessionManifests: manifests,
      witness,
    });
    expect(verification).toMatchObject({
      valid: true,
      not_checked: ['archive not checked: Error: bucket down', expect.any(String)],
    });
    expect(verification.archived_entries).toBeUndefined();
  });

  test('shows how far the archive reaches, whatever run reaches there', async () => {
    const { archive } = kept();
    await archive.keep(entries.slice(0, 10));
    expect(await archivedEnd(archive, tenant, session, 0)).toBe(9);
    expect(await archivedEnd(archive, tenant, session, 8)).toBe(9);
    expect(await archivedEnd(archive, tenant, session, 10)).toBe(-1);
  });
});

describe('[evidence.large-sessions] a session of many thousand entries', () => {
  const total = runs(50_000, 10_000);
  const forgedAt = total / 2 + 17;
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

  test('is listed line by line, each made when it is asked for', async () => {
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

  test('is exported in pieces of bounded length', async () => {
    const manifest = await signedManifest(head, entries, signer, memoryManifests());
    let [longest, all] = [0, 0];
    for await (const piece of bundleChunks(manifest, source(), trustedKey)) {
      longest = Math.max(longest, piece.length);
      all += piece.length;
    }
    expect(longest).toBeLessThan(70_000);
    expect(all).toBeGreaterThan(100 * total);
  });

  test('an entry rewritten in the middle is named', async () => {
    const forged = seal(chain(total).map((each, n) => (n === forgedAt ? { ...each, body: { n: 'other' } } : each)));
    const session = { ...live(), head: forged.head, entries: () => firstEntries(forged.entries, total) };
    const { verification } = await verifyLive(session);
    expect(verification).toMatchObject({ valid: false, broken_link: { index: forgedAt } });
  });
});
