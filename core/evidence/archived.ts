/**
 * Layout and reader of the archive. Each object is a run of consecutive entries from one session. It is named by first
 * index, last index and last hash, so that a repeated batch writes the same object (`docs/decisions/0060`).
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { ArchivedPlace, ArchivedRun, ArchiveReader } from './ports.ts';

/**
 * The maximum number of entries per run. A reader that starts at some index looks for runs that begin up to this many
 * entries earlier.
 */
export const maxEntriesPerRun = 100;

/** Warning in the status and log of a gateway whose archive contains only its own entries. */
export const separateArchiveWarning =
  'This gateway keeps its archive and checkpoints in its own folder, which is lost with the gateway, while other gateways write to the same store: name a bucket for all of them (GATEWAY_ARCHIVE_BUCKET), or keep the folder.';

/** Number of runs to prefetch, which limits how much of the archive a verification keeps in memory. */
const runsAhead = 8;

/** Archive storage, implemented by an adapter. `archiveReader` turns it into a reader. */
export interface ArchiveSource {
  readonly complete: boolean;
  /** Returns the runs of a session whose first index is at least `first`, ordered by first index. */
  runs(tenant: string, sessionId: string, first: number): AsyncIterable<ArchivedRun>;
  /** Reads the entries of one run, in index order. */
  read(tenant: string, sessionId: string, run: ArchivedRun): Promise<readonly EvidenceEntry[]>;
}

/** Returns an archive reader over an adapter's storage. */
export function archiveReader(source: ArchiveSource): ArchiveReader {
  const runs: ArchiveReader['runs'] = async function* (tenant, sessionId, fromIndex = 0) {
    const first = Math.max(0, fromIndex - maxEntriesPerRun + 1);
    for await (const run of source.runs(tenant, sessionId, first)) if (run.last >= fromIndex) yield run;
  };

  async function* places(tenant: string, sessionId: string, fromIndex: number, whole: boolean) {
    const held = new Map<number, Map<string, EvidenceEntry | undefined>>();
    const note = (index: number, hash: string, entry?: EvidenceEntry) => {
      if (index < fromIndex) return;
      const copies = held.get(index) ?? new Map<string, EvidenceEntry | undefined>();
      held.set(index, copies.set(hash, entry));
    };
    const before = (end: number) => [...held.keys()].filter((index) => index < end).sort((a, b) => a - b);
    const settled = function* (end: number) {
      for (const index of before(end)) {
        yield { index, copies: held.get(index)! };
        held.delete(index);
      }
    };
    const contents = readAhead(runs(tenant, sessionId, fromIndex), runsAhead, async (run) => {
      // The name of a single copy contains index and hash, which is enough for comparison.
      const alone = run.first === run.last && !whole;
      return { run, entries: alone ? undefined : checkRun(run, await source.read(tenant, sessionId, run)) };
    });
    for await (const { run, entries } of contents) {
      yield* settled(run.first);
      if (entries === undefined) note(run.first, run.hash);
      else for (const entry of entries) note(entry.index, entry.hash, entry);
    }
    yield* settled(Number.POSITIVE_INFINITY);
  }

  return {
    complete: source.complete,
    runs,
    async *hashes(tenant, sessionId, fromIndex = 0): AsyncIterable<ArchivedPlace> {
      for await (const { index, copies } of places(tenant, sessionId, fromIndex, false))
        yield { index, hashes: [...copies.keys()] };
    },
    async *entries(tenant, sessionId, fromIndex) {
      let expected = fromIndex;
      for await (const { index, copies } of places(tenant, sessionId, fromIndex, true)) {
        const [entry, twin] = copies.values();
        if (index !== expected++ || entry === undefined || twin !== undefined) return;
        yield entry;
      }
    },
  };
}

/** Returns the entries of a run. @throws Error if they do not match the run's name. */
function checkRun(run: ArchivedRun, entries: readonly EvidenceEntry[]): readonly EvidenceEntry[] {
  const follow = entries.every(({ index }, n) => index === run.first + n);
  if (follow && entries.length === run.last - run.first + 1 && entries.at(-1)?.hash === run.hash) return entries;
  throw new Error(`archived entries ${run.first} to ${run.last} do not match their name (${run.place})`);
}

/** Maps the items in order, with up to `most` reads in flight. */
async function* readAhead<T, R>(source: AsyncIterable<T>, most: number, read: (item: T) => Promise<R>) {
  const underWay: Promise<R>[] = [];
  try {
    for await (const item of source) {
      const reading = read(item);
      reading.catch(() => {}); // reported when awaited
      underWay.push(reading);
      if (underWay.length >= most) yield await underWay.shift()!;
    }
    while (underWay.length > 0) yield await underWay.shift()!;
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** Splits entries of one session into the runs to be written: in index order, linked, without duplicates. */
export function runsOf(entries: readonly EvidenceEntry[]): EvidenceEntry[][] {
  const runs: EvidenceEntry[][] = [];
  const once = [...new Map(entries.map((entry) => [`${entry.index}#${entry.hash}`, entry])).values()];
  for (const entry of once.sort((a, b) => a.index - b.index)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const follows = last?.index === entry.index - 1 && last.hash === entry.previous_hash;
    if (run && follows && run.length < maxEntriesPerRun) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

/** Returns the highest index that has a copy, searching from `fromIndex`, or -1 if there is none. */
export async function archivedEnd(
  reader: Pick<ArchiveReader, 'runs'>,
  tenant: string,
  sessionId: string,
  fromIndex: number,
): Promise<number> {
  let end = -1;
  for await (const { last } of reader.runs(tenant, sessionId, fromIndex)) end = Math.max(end, last);
  return end;
}
