/** Ends a database server that outlived its gateway, so that two never write one file. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Looks in /proc for a process that is exactly that binary on exactly that file: a pid file could lie after a reboot.
 * Call it only while holding the state folder's lock. Where there is no /proc there is nothing to end.
 */
export async function endStale(binary: string, dbPath: string): Promise<number> {
  const stale = processesOf(binary, dbPath);
  for (const pid of stale) signal(pid, 'SIGKILL');
  while (stale.some((pid) => runs(pid, binary, dbPath))) await new Promise((resolve) => setTimeout(resolve, 5));
  return stale.length;
}

function processesOf(binary: string, dbPath: string): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => runs(pid, binary, dbPath));
  } catch {
    return [];
  }
}

function runs(pid: number, binary: string, dbPath: string): boolean {
  try {
    const [program = '', ...rest] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return basename(program) === basename(binary) && rest[rest.indexOf('--db-path') + 1] === dbPath;
  } catch {
    return false; // gone meanwhile, or not ours to read
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone meanwhile
  }
}
