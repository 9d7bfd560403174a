/**
 * Starts the real gateway for end-to-end tests: `node bin/local.ts` as a child process on free ports, with its own
 * state folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { LocalKeys } from '../../adapters/local/keys-file.ts';
import type { ReadyEvent } from '../../bin/local/banner.ts';

export interface GatewayOptions {
  /** Configuration file; if absent, the shipped one. */
  readonly config?: string;
  /** State folder; if absent, a temporary one that `stop` removes. */
  readonly state?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export interface Gateway {
  /** Content of the ready line at the last start. */
  readonly ready: ReadyEvent & { readonly keys_file: string };
  readonly keys: LocalKeys;
  readonly state: string;
  /** Returns the text printed on stdout before the ready line, at the last start. */
  banner(): string;
  /** Milliseconds from spawn to the ready line, at the last start. */
  readonly readyMs: number;
  /** Returns everything the gateway wrote to stderr: JSON log lines. */
  log(): string;
  /** Kills the process immediately, as a power failure would, together with the store. */
  kill9(): Promise<void>;
  /** Restarts on the same ports and state, after `kill9` or while running (it is then stopped first). */
  restart(): Promise<void>;
  /** Sends SIGTERM and returns the exit code. Removes the temporary state folder. */
  stop(): Promise<number>;
}

const root = resolve(__dirname, '../..');
/** Time limit longer than a fully busy machine needs, and shorter than the test timeout, so that the log is shown. */
const readyWithinMs = 150_000;

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const state = options.state ?? mkdtempSync(join(tmpdir(), 'gateway-state-'));
  let ports = ['0', '0', '0'];
  let run = await launch(options, state, ports);
  ports = [run.ready.gateway_url, run.ready.admin_url, run.ready.mcp_url].map((url) => new URL(url).port);
  const keys = JSON.parse(readFileSync(run.ready.keys_file, 'utf8')) as LocalKeys;
  let log = '';

  const end = async (signal: NodeJS.Signals): Promise<number> => {
    const { child } = run;
    if (child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    }
    log += run.stderr();
    return child.exitCode ?? -1;
  };

  return {
    state,
    keys,
    get ready() {
      return run.ready;
    },
    get readyMs() {
      return run.readyMs;
    },
    banner: () => run.banner,
    log: () => log + run.stderr(),
    kill9: async () => void (await end('SIGKILL')),
    restart: async () => {
      await end('SIGTERM');
      run = await launch(options, state, ports);
    },
    stop: async () => {
      const code = await end('SIGTERM');
      if (options.state === undefined) rmSync(state, { recursive: true, force: true });
      return code;
    },
  };
}

interface Run {
  readonly child: ChildProcess;
  readonly ready: ReadyEvent & { readonly keys_file: string };
  readonly readyMs: number;
  readonly banner: string;
  stderr(): string;
}

function launch(options: GatewayOptions, state: string, ports: readonly string[]): Promise<Run> {
  const [gateway = '0', admin = '0', mcp = '0'] = ports;
  const args = [
    join(root, 'bin/local.ts'),
    ...['--state', state, '--gateway-port', gateway, '--admin-port', admin, '--mcp-port', mcp, '--edge-port', '0'],
    ...(options.config === undefined ? [] : ['--config', options.config]),
    ...(options.args ?? []),
  ];
  const spawnedAt = performance.now();
  const child = spawn(join(root, 'node_modules/.bin/node'), args, {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  child.once('exit', () => process.off('exit', killWithUs));

  let stderr = '';
  let banner = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolved, rejected) => {
    const fail = (why: string) => rejected(new Error(`The gateway ${why}:\n${stderr}`));
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`was not ready within ${readyWithinMs} ms`);
    }, readyWithinMs);
    child.once('exit', (code, signal) => {
      clearTimeout(late);
      fail(`ended with ${signal ?? code} before it was ready`);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{"event":"ready"')) {
        banner += `${line}\n`;
        return;
      }
      clearTimeout(late);
      resolved({
        child,
        ready: JSON.parse(line),
        readyMs: performance.now() - spawnedAt,
        banner,
        stderr: () => stderr,
      });
    });
  });
}
