/**
 * Runs one program on this machine: arguments unchanged, a scrubbed environment, no input, and its process group killed
 * at the end. A process that leaves the group (`setsid`) is not tracked, so do not allowlist programs that do this.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { callRefused, ExecutionFault } from '#core/execution/executors/fault.ts';
import type { Command, CommandResult, CommandRunner } from '#core/execution/executors/ports.ts';
import type { Containment } from './containment.ts';
import { limitCommand } from './process-limits.ts';
import { folderIn, programAt, programPath } from './program.ts';

interface RunOptions {
  /** Source of the names in `Command.env`. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Finds a containment for programs. @default none */
  readonly contain?: () => Promise<Containment | undefined>;
  /** Folders searched for programs, in PATH format. */
  readonly path?: string;
}

/**
 * Time for which an output stays open after its program ended, in case a process that left the group still holds it
 * open.
 */
const graceMs = 500;

export function commandRunner({
  environment = process.env,
  path = programPath,
  contain = () => Promise.resolve(undefined),
}: RunOptions = {}): CommandRunner {
  return async (command, signal) => {
    const [name, ...args] = command.argv;
    const program = await programAt(name, path);
    const own = await mkdtemp(join(tmpdir(), 'gateway-command-'));
    try {
      const cwd = await folderIn(command.root ?? own, command.cwd);
      const limits = await limitCommand(program, args, command);
      const line = await containedLine(limits.line, command, contain);
      if (signal?.aborted) throw new ExecutionFault('cancelled', 'it was cancelled before anything ran');
      const env = {
        ...passedOn(environment, command.env),
        PATH: path,
        HOME: own,
        TMPDIR: own,
        LANG: 'C.UTF-8',
        PWD: cwd,
        ...(basename(name) === 'git' && gitSettings),
      };
      const result = await run(line, { cwd, env }, command, signal);
      return limits.isLimited ? result : { ...result, not_limited: ['processes', 'memory', 'processor time', 'files'] };
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  };
}

const safeGit = {
  // A workspace folder that looks like a repository must not be treated as one.
  'safe.bareRepository': 'explicit',
  'core.fsmonitor': 'false',
  'log.showSignature': 'false',
  'protocol.ext.allow': 'never',
};

/** Git settings that override a repository's own, so that reading the repository runs no program [executor.git]. */
const gitSettings: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: String(Object.keys(safeGit).length),
  ...Object.fromEntries(
    Object.entries(safeGit).flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  ),
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * Wraps the command line. @throws ExecutionFault `refused` if the command must be contained and this machine permits no
 * containment.
 */
async function containedLine(
  line: string[],
  { containment }: Command,
  contain: () => Promise<Containment | undefined>,
): Promise<string[]> {
  if (!containment) return line;
  const found = await contain();
  if (found) return found.wrap(line, containment);
  throw callRefused(
    'this machine cannot contain programs: neither unshare nor bwrap can create a user namespace here',
    'Permit user namespaces, or write executors.shell.contained: false to run programs with all rights of the gateway.',
  );
}

/** The gateway's own variables: never passed on, even if the configuration lists them. */
const reservedVariables = /^(?:AWS_|GATEWAY_|LAMBDA_|LD_|DYLD_|NODE_|BASH_|_)/;

const passedOn = (environment: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || reservedVariables.test(name) ? [] : [[name, value]];
    }),
  );

interface ProcessContext {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

async function run(line: string[], { cwd, env }: ProcessContext, command: Command, signal: AbortSignal | undefined) {
  const [file = '', ...args] = line;
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>();
  // The program gets its own process group, which is killed as a whole.
  const child = spawn(file, args, { cwd, env, shell: false, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: collect(child.stdout!, command), stderr: collect(child.stderr!, command) };
  let timedOut = false;
  let cancelled = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child);
  }, command.timeoutMs);
  const cancel = () => {
    cancelled = true;
    killGroup(child);
  };
  signal?.addEventListener('abort', cancel, { once: true });

  let grace: NodeJS.Timeout | undefined;
  child.on('exit', () => {
    killGroup(child);
    grace = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, graceMs);
  });
  child.on('error', (fault: NodeJS.ErrnoException) => {
    if (child.pid === undefined)
      reject(new ExecutionFault('unavailable', `the program could not be started (${fault.code})`));
  });
  child.on('close', (code) => {
    if (cancelled) return reject(new ExecutionFault('cancelled', 'it was cancelled and killed', { effect: 'unknown' }));
    const [stdout, stderr] = [output.stdout(), output.stderr()];
    resolve({
      exit_code: timedOut ? null : code,
      stdout: stdout.text,
      stderr: stderr.text,
      truncated: stdout.truncated || stderr.truncated,
      timed_out: timedOut,
    });
  });
  return promise.finally(() => {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener('abort', cancel);
  });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}

/** Collects the beginning of an output. The rest is read so that the program does not block, and then dropped. */
function collect(stream: NodeJS.ReadableStream, { maxOutputBytes }: Command) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < maxOutputBytes) chunks.push(chunk.subarray(0, maxOutputBytes - bytes));
    bytes += chunk.length;
  });
  stream.on('error', () => {});
  return () => {
    const truncated = bytes > maxOutputBytes;
    // A character that is only partly received is left out.
    return { text: new TextDecoder().decode(Buffer.concat(chunks), { stream: truncated }), truncated };
  };
}
