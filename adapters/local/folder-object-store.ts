/** Bodies by SHA-256 in a folder: the local ObjectStore. */
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 as sha256Of } from '#core/kernel/canonical.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { undefinedIfMissing, writeDurably } from './durable-file.ts';

export function folderObjectStore(folder: string): ObjectStore {
  /** Returns the path, which includes two-letter folders to keep listings short. */
  const pathOf = (sha256: string) => join(folder, sha256.slice(0, 2), sha256);
  return {
    put: async (bytes) => {
      const sha256 = sha256Of(bytes);
      const path = pathOf(sha256);
      const size = await stat(path).then((found) => found.size, undefinedIfMissing);
      if (size === bytes.byteLength) return sha256;
      await mkdir(join(folder, sha256.slice(0, 2)), { recursive: true, mode: 0o700 });
      await writeDurably(path, bytes);
      return sha256;
    },
    get: async (sha256) => {
      if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined; // never a path that the caller chose
      const bytes = await readFile(pathOf(sha256)).catch(undefinedIfMissing);
      if (bytes !== undefined && sha256Of(bytes) !== sha256) {
        throw new Error(
          `Object ${sha256} was changed on disk: its content does not match its digest. Restore it from a copy.`,
        );
      }
      return bytes;
    },
  };
}
