/**
 * Limits for a command on this machine, set with `prlimit` if available: the number of processes, which the kernel
 * counts per user, and each process's memory, processor time and file sizes. The command runs at low priority, through
 * `nice`.
 */
import { access, readdir, readFile, stat } from 'node:fs/promises';
import type { Command } from '#core/execution/executors/ports.ts';

const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'];
const nice = ['/usr/bin/nice', '/bin/nice'];
const niceness = 10;
const largestFileBytes = 1024 * 1024 * 1024;

interface LimitedCommand {
  /** Command line that sets the limits and executes the program. */
  readonly line: string[];
  /** False if this machine has no `prlimit`; in that case only the priority is lowered. */
  readonly isLimited: boolean;
}

export async function limitCommand(
  program: string,
  args: readonly string[],
  { maxProcesses, perProcess }: Pick<Command, 'maxProcesses' | 'perProcess'>,
): Promise<LimitedCommand> {
  const [tool, lower] = await Promise.all([firstOf(prlimit), firstOf(nice)]);
  const polite = lower === undefined ? [] : [lower, '-n', String(niceness)];
  if (tool === undefined) return { line: [...polite, program, ...args], isLimited: false };
  const running = await threadsOfUser();
  const own = perProcess ? [`--data=${perProcess.memoryBytes}`, `--cpu=${perProcess.cpuSeconds}`] : [];
  const most = [`--nproc=${running + maxProcesses}`, `--fsize=${largestFileBytes}`, '--core=0'];
  return { line: [...polite, tool, ...most, ...own, '--', program, ...args], isLimited: true };
}

/** Checks whether this machine can limit a command. */
export const canLimit = async (): Promise<boolean> => (await firstOf(prlimit)) !== undefined;

async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const there = await access(path).then(
      () => true,
      () => false,
    );
    if (there) return path;
  }
  return undefined;
}

/**
 * Counts this user's threads, because the threads of the gateway and of the user's other programs count against the
 * same limit.
 */
async function threadsOfUser(): Promise<number> {
  const user = process.getuid?.();
  const all = await readdir('/proc').catch(() => []);
  const counts = await Promise.all(
    all.filter((name) => /^\d+$/.test(name)).map((pid) => threadsOf(`/proc/${pid}`, user)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function threadsOf(folder: string, user: number | undefined): Promise<number> {
  try {
    if ((await stat(folder)).uid !== user) return 0;
    return Number(/^Threads:\s*(\d+)/m.exec(await readFile(`${folder}/status`, 'utf8'))?.[1] ?? 1);
  } catch {
    return 0; // ended meanwhile
  }
}
