/**
 * Runs `agentctl` command lines in processes that have already loaded it, because loading takes most of a command's
 * processor time. It runs outside Jest's sandbox, so that a worker keeps its processes for all test files.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export interface CommandLine {
  readonly args: readonly string[];
  /** All variables of the command, not only additional ones. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin?: string | undefined;
  /** Like `2>&1`: everything is in `out`, in the order in which it was written. */
  readonly together?: true;
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const idle: ChildProcess[] = [];

/** Runs one command line in an idle process, or in a new one if none is idle. */
export async function runWarm(line: CommandLine): Promise<Ran> {
  const host = idle.pop() ?? start();
  const ran = await new Promise<Ran>((resolve, reject) => {
    const ended = () => reject(new Error(`agentctl ended its process: ${line.args.join(' ')}`));
    host.once('exit', ended);
    host.once('message', (answer) => {
      host.off('exit', ended);
      resolve(answer as Ran);
    });
    host.ref();
    host.channel?.ref();
    host.send(line);
  });
  // Idle processes do not keep the worker alive and end with it.
  host.unref();
  host.channel?.unref();
  idle.push(host);
  return ran;
}

const start = (): ChildProcess =>
  fork(join(import.meta.dirname, 'warm-agentctl-host.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
