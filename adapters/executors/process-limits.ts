/** How many processes a command may have, by `prlimit` where there is one: the kernel counts them per user. */
import { access, readdir, readFile, stat } from 'node:fs/promises';

const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'];
const largestFileBytes = 1024 * 1024 * 1024;

/** The command line that sets the limits and becomes the program; the program itself where there is no `prlimit`. */
export async function limited(program: string, args: readonly string[], maxProcesses: number): Promise<string[]> {
  const tool = await firstOf(prlimit);
  if (tool === undefined) return [program, ...args];
  const running = await threadsOfUser();
  return [tool, `--nproc=${running + maxProcesses}`, `--fsize=${largestFileBytes}`, '--core=0', '--', program, ...args];
}

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

/** The gateway's own threads count against the same limit, and those of whatever else its user runs. */
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
    return 0; // It has ended meanwhile.
  }
}
