/** Writes files that are either complete or absent, even if the process or the machine stops at any moment. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes the file, replacing any older one. */
export async function writeDurably(path: string, bytes: Uint8Array | string, mode = 0o600): Promise<void> {
  const temporary = await writeBeside(path, bytes, mode);
  await rename(temporary, path);
  await syncFolder(dirname(path));
}

/** Writes the file unless it already exists. Returns false if it does, and leaves it unchanged. */
export async function createDurably(path: string, bytes: Uint8Array | string, mode = 0o600): Promise<boolean> {
  const temporary = await writeBeside(path, bytes, mode);
  try {
    await link(temporary, path);
    await syncFolder(dirname(path));
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
    return false;
  } finally {
    await unlink(temporary);
  }
}

async function writeBeside(path: string, bytes: Uint8Array | string, mode: number): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await withFile(await open(temporary, 'wx', mode), async (file) => {
    await file.writeFile(bytes);
    await file.sync();
  });
  return temporary;
}

/** Syncs a folder. Without a sync, a new file's name is not durable. */
export async function syncFolder(folder: string): Promise<void> {
  await withFile(await open(folder, 'r'), (file) => file.sync());
}

async function withFile(file: FileHandle, work: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/**
 * Returns undefined for a missing file and rethrows other faults. Use it as `readFile(path).catch(undefinedIfMissing)`.
 */
export function undefinedIfMissing(fault: NodeJS.ErrnoException): undefined {
  if (fault.code !== 'ENOENT') throw fault;
}
