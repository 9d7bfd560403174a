/**
 * The evidence archive of the local run: one file per entry, whole or absent whenever the process is killed. It is not
 * synced to the disk entry by entry: the table is the truth, and what a power cut takes is copied again from it.
 */
import { randomBytes } from 'node:crypto';
import { link, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';

/** Tenants and sessions name folders, so what a file system could misread is encoded; `..` is a valid session id. */
const folderName = (id: string): string => encodeURIComponent(id).replaceAll('.', '%2E');

export const folderArchive = (root: string): Archive => ({
  async keep(entry) {
    const folder = join(root, folderName(entry.tenant), folderName(entry.session_id));
    const path = join(folder, `${String(entry.index).padStart(12, '0')}-${entry.hash}.json`);
    const text = canonicalize(entry);
    await write(path, text).catch(async (fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'ENOENT') throw fault;
      await mkdir(folder, { recursive: true });
      await write(path, text);
    });
  },
});

/** Whole under another name first; a name that is taken keeps what it has. */
async function write(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  await writeFile(temporary, text, { mode: 0o600 });
  await link(temporary, path)
    .catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EEXIST') throw fault;
    })
    .finally(() => unlink(temporary));
}
