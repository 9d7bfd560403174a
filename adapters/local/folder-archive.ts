/**
 * The local run's evidence archive: one append-only file per session, one entry per line. Entries are not synced
 * individually: the table is authoritative, and entries lost in a power failure are copied from it again. An entry
 * copied twice appears twice, with the same hash.
 */
import { appendFile, type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { archiveReader, maxEntriesPerRun } from '#core/evidence/archived.ts';
import { shapeDefect } from '#core/evidence/entry-shape.ts';
import { textOfEntry } from '#core/evidence/entry-text.ts';
import type { ArchivedRun, ArchiveReader } from '#core/evidence/ports.ts';
import { byteLines } from '#core/kernel/byte-lines.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Archive } from '#core/observatory/ports.ts';
import { fileNameOf } from './file-names.ts';

interface Batch {
  text: string;
  readonly written: Promise<void>;
}

interface FolderArchiveOptions {
  /** True if other processes write to the same store and keep their own archives. @default false */
  readonly shared?: boolean;
}

export function folderArchive(root: string, { shared = false }: FolderArchiveOptions = {}): Archive & ArchiveReader {
  const fileOf = (tenant: string, sessionId: string): string =>
    join(root, fileNameOf(tenant), `${fileNameOf(sessionId)}.jsonl`);
  /** Files that end with a whole line. */
  const whole = new RecentMap<string, true>({ max: 1000 });
  /** Batches open until the end of this turn, so that entries of the same session share a write. */
  const batches = new Map<string, Batch>();

  return {
    keep(entries: readonly EvidenceEntry[]) {
      const [first] = entries;
      if (!first) return Promise.resolve();
      const path = fileOf(first.tenant, first.session_id);
      const lines = entries.map((entry) => `${textOfEntry(entry)}\n`).join('');
      const open = batches.get(path);
      if (open) {
        open.text += lines;
        return open.written;
      }
      const batch: Batch = { text: lines, written: Promise.resolve().then(() => flush(path)) };
      batches.set(path, batch);
      return batch.written;
    },

    ...archiveReader({
      complete: !shared,
      async *runs(tenant, sessionId, first) {
        const found: ArchivedRun[] = [];
        const path = fileOf(tenant, sessionId);
        for await (const run of runsIn(path, { tenant, sessionId })) if (run.first >= first) found.push(run);
        yield* found.sort((a, b) => a.first - b.first);
      },
      read: (_tenant, _session, { place }) => entriesAt(place),
    }),
  };

  async function flush(path: string): Promise<void> {
    const { text } = batches.get(path)!;
    batches.delete(path);
    await append(path, text).catch(async (fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'ENOENT') throw fault;
      await mkdir(dirname(path), { recursive: true });
      await append(path, text);
    });
  }

  /**
   * Writes whole lines, and only after a whole line: a full disk or a power failure can leave half a line, which would
   * corrupt the next one.
   */
  async function append(path: string, text: string): Promise<void> {
    const start = whole.get(path) || (await endsWhole(path)) ? '' : '\n';
    whole.delete(path);
    await appendFile(path, start + text, { mode: 0o600 });
    whole.set(path, true);
  }
}

/**
 * Yields a session's copies in a file as runs, in the order they were written, or nothing if there is no such file.
 * Skips lines that are not entries of the session.
 */
async function* runsIn(path: string, session: { tenant: string; sessionId: string }): AsyncIterable<ArchivedRun> {
  const file = await openIfPresent(path);
  if (!file) return;
  let run: { first: number; last: number; hash: string; start: number; end: number } | undefined;
  const named = ({ start, end, ...rest }: NonNullable<typeof run>): ArchivedRun => ({
    ...rest,
    place: `${start}-${end} ${path}`,
  });
  let offset = 0;
  try {
    for await (const { text, bytes } of byteLines(file.createReadStream({ autoClose: false }))) {
      const start = offset;
      offset += bytes;
      const entry = entryOf(text);
      const own = entry?.tenant === session.tenant && entry.session_id === session.sessionId;
      const { index, hash, previous_hash } = own ? entry : {};
      const follows = run?.last === (index ?? 0) - 1 && run.hash === previous_hash && run.end === start;
      if (run && hash !== undefined && follows && run.last - run.first + 1 < maxEntriesPerRun) {
        run = { ...run, last: run.last + 1, hash, end: offset };
        continue;
      }
      if (run) yield named(run);
      run =
        index === undefined || hash === undefined ? undefined : { first: index, last: index, hash, start, end: offset };
    }
    if (run) yield named(run);
  } finally {
    await file.close();
  }
}

/** @param place `<first byte>-<byte after the last> <path>` */
async function entriesAt(place: string): Promise<EvidenceEntry[]> {
  const [bytes = '', ...path] = place.split(' ');
  const [start = 0, end = 0] = bytes.split('-').map(Number);
  const file = await openIfPresent(path.join(' '));
  if (!file) return [];
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return lines.flatMap((line) => entryOf(line) ?? []);
  } finally {
    await file.close();
  }
}

const openIfPresent = (path: string): Promise<FileHandle | undefined> =>
  open(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw fault;
    return undefined;
  });

function entryOf(line: string): EvidenceEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return shapeDefect(value) === undefined ? (value as EvidenceEntry) : undefined;
  } catch {
    return undefined;
  }
}

async function endsWhole(path: string): Promise<boolean> {
  const file = await openIfPresent(path);
  if (!file) return true;
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.from('\n'), 0, 1, Math.max(0, size - 1));
    return buffer.toString() === '\n';
  } finally {
    await file.close();
  }
}
