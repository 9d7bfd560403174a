/** Runs other programs, either to completion or until they are stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

export type Environment = Record<string, string>;

export interface Run {
  readonly env: Environment;
  readonly cwd?: string;
}

/**
 * Runs a program to completion and returns its stdout. @throws an error with the end of the output if the program
 * fails.
 */
export async function run(command: string, args: readonly string[], { env, cwd }: Run): Promise<string> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...(cwd && { cwd }) });
  const out: Buffer[] = [];
  const all: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => void out.push(chunk));
  child.stdout.on('data', (chunk: Buffer) => void all.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => void all.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return Buffer.concat(out).toString('utf8');
  const lastWords = Buffer.concat(all).toString('utf8').slice(-3000);
  throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${lastWords}`);
}

/** Stops a child process: first by request, then by force. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Polls until a result is available. @throws an error after `seconds` that names the expected result. */
export async function until<T>(what: string, seconds: number, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
