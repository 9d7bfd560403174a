/** Objects of the transparency log in a subfolder of the state folder: each file is written once and never changed. */
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createDurably } from '#adapters/local/durable-file.ts';
import { fileNameOf, formerFileName } from '#adapters/local/file-names.ts';
import type { LogObjects } from '../ports.ts';

export function folderLog(root: string): LogObjects {
  const folders = new Map<string, Promise<string>>();
  const pathOf = async (tenant: string, path: string): Promise<string> => {
    const folder = folders.get(tenant) ?? takenOver(root, tenant);
    folders.set(tenant, folder);
    return join(root, await folder, path);
  };
  return {
    async put(tenant, path, bytes) {
      const file = await pathOf(tenant, path);
      await createDurably(file, bytes).catch(async (fault: NodeJS.ErrnoException) => {
        if (fault.code !== 'ENOENT') throw fault;
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await createDurably(file, bytes);
      });
    },
    get: async (tenant, path) => readFile(await pathOf(tenant, path)).catch(absent),
    async list(tenant, folder) {
      const names = (await readdir(await pathOf(tenant, folder)).catch(absent)) ?? [];
      return names.filter((name) => !name.endsWith('.tmp')).sort();
    },
    drop: async (tenant, folder) => rm(await pathOf(tenant, folder), { recursive: true, force: true }),
  };
}

/** Returns the name of a tenant's folder, after renaming any folder from an earlier release. */
async function takenOver(root: string, tenant: string): Promise<string> {
  const [name, former] = [fileNameOf(tenant), formerFileName(tenant)];
  const names = (await readdir(root).catch(absent)) ?? [];
  if (names.includes(former) && !names.includes(name)) await rename(join(root, former), join(root, name));
  return name;
}

function absent(fault: NodeJS.ErrnoException): undefined {
  // Folders of partial tiles end in `.p`; `ENOTDIR` on such a path also means that the file does not exist.
  if (fault.code !== 'ENOENT' && fault.code !== 'ENOTDIR') throw fault;
}
