/**
 * The evidence archive of the local run: one file per session, one entry a line, only ever appended to. It is not synced
 * entry by entry: the table is the truth, and what a power cut takes is copied again from it. A copy told twice stands
 * there twice, alike in its hash.
 */
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';

/** Tenants and sessions name files, so what a file system could misread is encoded; `..` is a valid session id. */
const fileName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

interface Batch {
  text: string;
  readonly written: Promise<void>;
}

export function folderArchive(root: string): Archive {
  /** What waits for the end of this turn: entries of a batch that belong to one session share a write. */
  const batches = new Map<string, Batch>();

  return {
    keep(entry: EvidenceEntry) {
      const path = join(root, fileName(entry.tenant), `${fileName(entry.session_id)}.jsonl`);
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

/** One write of whole lines. */
const append = (path: string, text: string): Promise<void> => appendFile(path, text, { mode: 0o600 });
