/**
 * The evidence archive of the local run: one file per session, one entry a line, only ever appended to. It is not synced
 * entry by entry: the table is the truth, and what a power cut takes is copied again from it. A copy told twice stands
 * there twice, alike in its hash.
 */
import { appendFile, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { shapeDefect } from '#core/evidence/entry-shape.ts';
import type { ArchiveReader } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';

/** Tenants and sessions name files, so what a file system could misread is encoded; `..` is a valid session id. */
const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

interface Batch {
  text: string;
  readonly written: Promise<void>;
}

export interface FolderArchiveOptions {
  /** Whether other processes write to the same store: their entries go into archives of their own. @default false */
  readonly shared?: boolean;
}

export function folderArchive(root: string, { shared = false }: FolderArchiveOptions = {}): Archive & ArchiveReader {
  const fileOf = ({ tenant, session_id }: Pick<EvidenceEntry, 'tenant' | 'session_id'>): string =>
    join(root, fileName(tenant), `${fileName(session_id)}.jsonl`);
  /** What waits for the end of this turn: entries of a batch that belong to one session share a write. */
  const batches = new Map<string, Batch>();

  return {
    keep(entry: EvidenceEntry) {
      const path = fileOf(entry);
      const line = `${canonicalize(entry)}\n`;
      const open = batches.get(path);
      if (open) {
        open.text += line;
        return open.written;
      }
      const batch: Batch = { text: line, written: Promise.resolve().then(() => flush(path)) };
      batches.set(path, batch);
      return batch.written;
    },

    complete: !shared,

    async hashes(tenant, session_id) {
      const found = new Map<number, readonly string[]>();
      for await (const { index, hash } of copies(fileOf({ tenant, session_id }))) {
        const known = found.get(index) ?? [];
        if (!known.includes(hash)) found.set(index, [...known, hash]);
      }
      return found;
    },

    async *entries(tenant, session_id, fromIndex) {
      const found = new Map<number, EvidenceEntry | 'several'>();
      for await (const entry of copies(fileOf({ tenant, session_id }))) {
        if (entry.index < fromIndex) continue;
        const known = found.get(entry.index);
        const several = known !== undefined && (known === 'several' || known.hash !== entry.hash);
        found.set(entry.index, several ? 'several' : entry);
      }
      for (let index = fromIndex; ; index++) {
        const entry = found.get(index);
        if (entry === undefined || entry === 'several') return;
        yield entry;
      }
    },
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
}

/**
 * The copies of a file in the order in which they came; none of a session that was never archived. A line that is no
 * entry is left out: the entry whose copy it was is then missing.
 */
async function* copies(path: string): AsyncIterable<EvidenceEntry> {
  const file = await open(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'ENOENT') throw fault;
    return undefined;
  });
  if (!file) return;
  try {
    for await (const line of file.readLines()) {
      const entry = entryOf(line);
      if (entry) yield entry;
    }
  } finally {
    await file.close();
  }
}

function entryOf(line: string): EvidenceEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return shapeDefect(value) === undefined ? (value as EvidenceEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** One write of whole lines. */
const append = (path: string, text: string): Promise<void> => appendFile(path, text, { mode: 0o600 });
