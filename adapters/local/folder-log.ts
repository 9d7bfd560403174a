/** Objects of the transparency log in a folder of the state: each file is put once and stays as it is. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LogObjects } from '#core/transparency/ports.ts';
import { createDurably } from './durable-file.ts';

/** Tenants name folders, so what a file system could misread is encoded. */
const folderName = (tenant: string): string => encodeURIComponent(tenant).replaceAll('.', '%2E');

export function folderLog(root: string): LogObjects {
  const pathOf = (tenant: string, path: string): string => join(root, folderName(tenant), path);
  return {
    async put(tenant, path, bytes) {
      const file = pathOf(tenant, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await createDurably(file, bytes);
    },
    get: (tenant, path) => readFile(pathOf(tenant, path)).catch(absent),
    async list(tenant, folder) {
      const names = (await readdir(pathOf(tenant, folder)).catch(absent)) ?? [];
      return names.filter((name) => !name.endsWith('.tmp')).sort();
    },
    drop: (tenant, folder) => rm(pathOf(tenant, folder), { recursive: true, force: true }),
  };
}

function absent(fault: NodeJS.ErrnoException): undefined {
  // Folders of partial tiles end in `.p`: a file of that path is not there either.
  if (fault.code !== 'ENOENT' && fault.code !== 'ENOTDIR') throw fault;
}
