/** The evidence archive of the local run: one file per entry, never overwritten. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';
import { createDurably } from './durable-file.ts';

/** Tenants and sessions name folders, so what a file system could misread is encoded; `..` is a valid session id. */
const folderName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

export const folderArchive = (root: string): Archive => ({
  async keep(entry) {
    const folder = join(root, folderName(entry.tenant), folderName(entry.session_id));
    await mkdir(folder, { recursive: true });
    const name = `${String(entry.index).padStart(12, '0')}-${entry.hash}.json`;
    await createDurably(join(folder, name), canonicalize(entry));
  },
});
