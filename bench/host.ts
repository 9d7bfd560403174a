/** The local run and the bare echo as child processes, started for the bench and ended with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** As `npm start` passes them. */
const startFlags = ['--max-semi-space-size=2', '--optimize-for-size'];

export interface Child {
  readonly process: ChildProcess;
  /** The first JSON line it printed. */
  readonly ready: Record<string, unknown>;
  readonly readyMs: number;
  stop(): Promise<void>;
}

export async function startChild(script: string, args: readonly string[]): Promise<Child> {
  const from = performance.now();
  const child = spawn(process.execPath, [...startFlags, script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"event":"ready"') && !line.startsWith('{"port"')) continue;
    child.stdout.resume();
    return {
      process: child,
      ready: JSON.parse(line),
      readyMs: performance.now() - from,
      stop: async () => {
        if (child.exitCode !== null) return;
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  }
  throw new Error(`${script} ended before it was ready`);
}

/** Resident memory of a process in MB (Linux). */
export function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
