/** Objects of the transparency log in a subfolder of the state folder: each file is written once and never changed. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createDurably } from '#adapters/local/durable-file.ts';
import { fileNameOf } from '#adapters/local/file-names.ts';
import type { LogObjects } from '../ports.ts';

export function folderLog(root: string): LogObjects {
  const pathOf = (tenant: string, path: string): string => join(root, fileNameOf(tenant), path);
  return {
    async put(tenant, path, bytes) {
      const file = pathOf(tenant, path);
      await createDurably(file, bytes).catch(async (fault: NodeJS.ErrnoException) => {
        if (fault.code !== 'ENOENT') throw fault;
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await createDurably(file, bytes);
      });
    },
    get: async (tenant, path) => readFile(pathOf(tenant, path)).catch(absent),
    async list(tenant, folder) {
      const names = (await readdir(pathOf(tenant, folder)).catch(absent)) ?? [];
      return names.filter((name) => !name.endsWith('.tmp')).sort();
    },
    drop: async (tenant, folder) => rm(pathOf(tenant, folder), { recursive: true, force: true }),
  };
}

function absent(fault: NodeJS.ErrnoException): undefined {
  // Folders of partial tiles end in `.p`; `ENOTDIR` on such a path also means that the file does not exist.
  if (fault.code !== 'ENOENT' && fault.code !== 'ENOTDIR') throw fault;
}
