/** Allows one gateway per state folder: a lock file names its holder, and becomes stale as soon as the holder exits. */
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface StateLock {
  release(): void;
}

/** Locks the folder. @throws Error that names the lock's holder. */
export function lockState(folder: string): StateLock {
  makeFolder(folder);
  const path = join(folder, 'lock');
  const mine = JSON.stringify({
    pid: process.pid,
    started: startOf(process.pid),
    nonce: randomBytes(8).toString('hex'),
  });
  while (!create(path, mine)) {
    const held = readIfReadable(path);
    if (held === undefined) continue;
    const { pid, started } = holderOf(held);
    if (pid > 0 && isAlive(pid) && startOf(pid) === started) {
      throw new Error(
        `The state folder ${folder} is in use by process ${pid}. Stop that gateway, or choose another folder with --state.`,
      );
    }
    takeAway(path, held);
  }
  return {
    release: () => {
      if (readIfReadable(path) === mine) unlinkSync(path);
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new Error(
      `The state folder ${folder} cannot be made (${(cause as NodeJS.ErrnoException).code}): choose another with --state.`,
      { cause },
    );
  }
}

/** Links a complete file, which is atomic, so that a half-written lock is never read. */
function create(path: string, text: string): boolean {
  const temporary = temporaryPath(path);
  writeFileSync(temporary, text, { mode: 0o600 });
  try {
    linkSync(temporary, path);
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw fault;
  } finally {
    unlinkSync(temporary);
  }
}

/**
 * Moves a stale lock out of the way. If another process has created its own lock there meanwhile, moves that lock back.
 */
function takeAway(path: string, stale: string): void {
  const aside = temporaryPath(path);
  try {
    renameSync(path, aside);
  } catch {
    return; // another process was faster
  }
  const moved = readIfReadable(aside);
  if (moved !== undefined && moved !== stale) create(path, moved);
  unlinkSync(aside);
}

const temporaryPath = (path: string) => `${path}.${randomBytes(6).toString('hex')}`;

function readIfReadable(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function holderOf(text: string): { pid: number; started: string } {
  try {
    const { pid, started } = JSON.parse(text) as { pid: number; started: string };
    return { pid, started };
  } catch {
    return { pid: 0, started: '' };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Returns a process's start time, so that a reused id is not mistaken for the holder. Returns an empty string if /proc
 * does not show it, or if the process was killed but not reaped by its parent, as in a container without an init.
 */
function startOf(pid: number): string {
  const stat = readIfReadable(`/proc/${pid}/stat`) ?? '';
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 'ZX'.includes(state) ? '' : (fields[18] ?? '');
}
