/** Reading the archive: runs of copies that overlap, are missing, or belong to another chain. */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { type ArchiveSource, archivedEnd, archiveReader, maxEntriesPerRun, runsOf } from '#core/evidence/archived.ts';
import type { ArchivedRun } from '#core/evidence/ports.ts';
import { draft, seal } from './sample.ts';

const length = 2 * maxEntriesPerRun + 50;
const { entries: chain } = seal(Array.from({ length }, (_, n) => draft('deny', { n }, n)));
const other = seal(Array.from({ length }, (_, n) => draft('deny', { n, other: true }, n))).entries;

interface Stored {
  readonly run: ArchivedRun;
  readonly entries: readonly EvidenceEntry[];
}
const stored = (entries: readonly EvidenceEntry[], over: Partial<ArchivedRun> = {}): Stored => ({
  run: { first: entries[0]!.index, last: entries.at(-1)!.index, hash: entries.at(-1)!.hash, place: 'x', ...over },
  entries,
});

function archiveOf(kept: readonly Stored[]) {
  const read: number[] = [];
  const source: ArchiveSource = {
    complete: true,
    runs: async function* (_tenant, _session, first) {
      for (const { run } of kept) if (run.first >= first) yield run;
    },
    read: async (_tenant, _session, run) => {
      read.push(run.first);
      return kept.find((each) => each.run === run)!.entries;
    },
  };
  return { reader: archiveReader(source), read };
}
async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}
const indexes = async (entries: AsyncIterable<{ readonly index: number }>) =>
  (await all(entries)).map(({ index }) => index);
const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);

test('[evidence.archive] a chain is split into runs of at most 100, with each entry in exactly one', () => {
  const runs = runsOf([...chain].reverse().concat(chain.slice(0, 3)));
  expect(runs.map((run) => run.length)).toEqual([100, 100, 50]);
  expect(runs.flat()).toEqual(chain);
});

test('[evidence.archive] a gap or a different chain starts a new run', () => {
  expect(runsOf([chain[0]!, chain[2]!]).map((run) => run.length)).toEqual([1, 1]);
  expect(runsOf([chain[0]!, other[1]!]).map((run) => run.length)).toEqual([1, 1]);
});

test('[evidence.archive] copies can be read in order from any position, even the middle of the longest run', async () => {
  const { reader } = archiveOf(runsOf(chain).map((run) => stored(run)));
  expect(await indexes(reader.entries('default', 's-1', 0))).toEqual(from(0, length));
  // Entry 99 is the last in the longest run that an object may contain, so the reader must go back to the beginning of
  // that run.
  expect(await indexes(reader.entries('default', 's-1', 99))).toEqual(from(99, length - 99));
  expect(await indexes(reader.entries('default', 's-1', 150))).toEqual(from(150, length - 150));
  expect(await archivedEnd(reader, 'default', 's-1', 150)).toBe(length - 1);
  expect(await archivedEnd(reader, 'default', 's-1', length)).toBe(-1);
});

test('[evidence.archive] overlapping runs return each copy once; copies that differ are both reported and end the read', async () => {
  const twice = archiveOf([stored(chain.slice(0, 10)), stored(chain.slice(5, 12))]).reader;
  expect(await indexes(twice.entries('default', 's-1', 0))).toEqual(from(0, 12));
  const apart = archiveOf([stored(chain.slice(0, 10)), stored([other[5]!]), stored(chain.slice(10, 12))]).reader;
  expect(await indexes(apart.entries('default', 's-1', 0))).toEqual(from(0, 5));
  const hashes = await all(apart.hashes('default', 's-1', 4));
  expect(hashes.map(({ index }) => index)).toEqual(from(4, 8));
  expect(hashes[1]?.hashes).toEqual([chain[5]!.hash, other[5]!.hash]);
});

test('[evidence.archive] reading ends at a missing copy', async () => {
  const { reader } = archiveOf([stored(chain.slice(0, 3)), stored(chain.slice(4, 6))]);
  expect(await indexes(reader.entries('default', 's-1', 0))).toEqual([0, 1, 2]);
  expect(await indexes(reader.entries('default', 's-1', 3))).toEqual([]);
});

test('[evidence.archive] hashes of single copies are taken from the object names, without reading any object', async () => {
  const { reader, read } = archiveOf(chain.slice(0, 3).map((entry) => stored([entry])));
  expect(await indexes(reader.hashes('default', 's-1'))).toEqual([0, 1, 2]);
  expect(read).toEqual([]);
});

test.each([
  ['fewer entries than its name', stored(chain.slice(0, 3), { last: 3 })],
  ['entries of another place', stored(chain.slice(0, 3), { first: 1, last: 3 })],
  ['another last hash', stored(chain.slice(0, 3), { hash: other[2]!.hash })],
])('[evidence.archive] an object with %s is rejected', async (_what, run) => {
  const { reader } = archiveOf([run]);
  await expect(indexes(reader.hashes('default', 's-1'))).rejects.toThrow('do not match their name');
});

test('[evidence.archive] only a few runs are read ahead', async () => {
  const kept = runsOf(
    seal(Array.from({ length: 12 * maxEntriesPerRun }, (_, n) => draft('deny', { n }, n))).entries,
  ).map((entries) => stored(entries));
  const { reader, read } = archiveOf(kept);
  const entries = reader.entries('t', 's', 0)[Symbol.asyncIterator]();
  await entries.next();
  // Eight in progress, and one whose entries are known to be complete only when the next begins.
  expect(read.length).toBe(9);
  await entries.return?.();
  expect(await indexes(archiveOf(kept).reader.entries('t', 's', 0))).toEqual(from(0, 12 * maxEntriesPerRun));
});

test('[evidence.archive] a reader that stops early waits for the reads it has started', async () => {
  const kept = runsOf(chain).map((run) => stored(run));
  const open = new Set<number>();
  const slow: ArchiveSource = {
    complete: true,
    runs: async function* () {
      for (const { run } of kept) yield run;
    },
    read: async (_tenant, _session, run) => {
      open.add(run.first);
      for (let turn = 0; turn < 5 * (run.first / 100 + 1); turn++) await new Promise((done) => setImmediate(done));
      open.delete(run.first);
      return kept.find((each) => each.run === run)!.entries;
    },
  };
  for await (const { index } of archiveReader(slow).entries('default', 's-1', 0)) if (index === 0) break;
  expect([...open]).toEqual([]);
});
