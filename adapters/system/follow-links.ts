/** Follows links in this machine's file system, step by step if the target does not exist. */
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { LinkResolver } from '#core/guard/links.ts';

const maxSteps = 256;

/** @param folder the servers' working directory. */
export const followsLinks = (folder: string): LinkResolver => ({
  follow: (path) => followLink(resolve(folder, path), maxSteps),
});

/** Follows links. A missing path may still be a dangling link, whose target a tool that writes would create. */
async function followLink(path: string, left: number): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (fault) {
    if (left <= 0 || !isAbsent(fault)) return undefined;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = await followLink(parent, left - 1);
  if (folder === undefined) return undefined;
  const own = join(folder, basename(path));
  const target = await readlink(own).catch(() => undefined);
  return target === undefined ? own : followLink(resolve(folder, target), left - 1);
}

const isAbsent = (fault: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((fault as NodeJS.ErrnoException).code ?? '');
