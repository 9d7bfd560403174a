/** The local run and the bare echo as child processes, started for the bench and stopped when it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import packageJson from '#package' with { type: 'json' };

/** The flags that `npm start` passes. */
const startFlags = packageJson.scripts.start.split(' ').slice(1, -1);

export interface Child {
  readonly process: ChildProcess;
  /** Output printed before the first JSON line. */
  readonly banner?: string;
  /** The first JSON line that the child printed. */
  readonly ready: Record<string, unknown>;
  readonly readyMs: number;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A module that runs in the child before its script, and after the modules that `npm start` loads first. */
  readonly loadedFirst?: URL;
}

export async function startChild(
  script: string,
  args: readonly string[],
  { env = {}, loadedFirst }: ChildOptions = {},
): Promise<Child> {
  const from = performance.now();
  const imported = loadedFirst === undefined ? [] : ['--import', loadedFirst.href];
  const child = spawn(process.execPath, [...startFlags, ...imported, script, ...args], {
    stdio: ['ignore', 'pipe', 'ignore', ...(loadedFirst === undefined ? [] : ['ipc' as const])],
    env: { ...process.env, ...env },
  });
  const { stdout } = child as ChildProcess & { readonly stdout: Readable };
  let banner = '';
  for await (const line of createInterface({ input: stdout })) {
    if (!line.startsWith('{"event":"ready"') && !line.startsWith('{"port"')) {
      banner += `${line}\n`;
      continue;
    }
    stdout.resume();
    return {
      process: child,
      banner,
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

/** Returns the resident memory of a process in MB (Linux). */
export function residentMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** Returns the CPU time of a process and its children so far, in ms (Linux). */
export function cpuMs(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const own = Number(fields[11]) + Number(fields[12]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return own * 10 + children.split(' ').reduce((sum, child) => sum + (child === '' ? 0 : cpuMs(Number(child))), 0);
}
