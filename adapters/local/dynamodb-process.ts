/** The embedded DynamoDB: a supervised child process over one file, or in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { throughShortWay } from './embedded-client.ts';
import { endStale } from './stale-process.ts';

export interface DynamoProcess {
  readonly endpoint: string;
  /** Process id of the child as it stands, for tests that end it. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

interface Options {
  /** The database file; absent = in memory. */
  readonly dbPath?: string;
  /** Called for every unexpected end and restart. */
  readonly report?: (message: string) => void;
}

const restartDelaysMs = [10, 50, 200, 1000, 5000];
/** A child that lived this long ended for a new reason: the delays start again. */
const settledMs = 10_000;

/**
 * Runs the server with a guard that reads our end of a pipe: when we are killed, whatever the signal, the pipe closes
 * and the server ends with us. Own process group, so that Ctrl-C reaches us alone and we drain before the store goes.
 */
const guard =
  'exec 3<&0; "$@" </dev/null & server=$!; { cat <&3 >/dev/null; kill -9 $server 2>/dev/null; } & wait $server';

/** Starts the server and answers when it listens. A crashed one is started again on the same port. */
export async function startDynamoProcess(options: Options = {}): Promise<DynamoProcess> {
  const binary = findBinary();
  if (options.dbPath !== undefined) await endStale(binary, options.dbPath);
  let stopped = false;
  let { child, port } = await launchOnFreePort(binary, options.dbPath);
  let restart: Promise<void> | undefined;
  let failures = 0;
  let launchedAt = performance.now();

  const supervise = () => {
    const watched = child;
    watched.once('exit', (code, signal) => {
      endGroup(watched);
      if (stopped) return;
      options.report?.(`The embedded DynamoDB ended (${signal ?? `code ${code}`}); starting it again.`);
      if (performance.now() - launchedAt > settledMs) failures = 0;
      restart = relaunch();
    });
  };
  const relaunch = async () => {
    while (!stopped) {
      await new Promise((resolve) =>
        setTimeout(resolve, restartDelaysMs[Math.min(failures++, restartDelaysMs.length - 1)]),
      );
      if (stopped) return;
      try {
        launchedAt = performance.now();
        child = await launch(binary, port, options.dbPath);
        return supervise();
      } catch (fault) {
        options.report?.(`The embedded DynamoDB did not start: ${(fault as Error).message}`);
      }
    }
  };
  supervise();

  const endNow = () => endGroup(child);
  process.once('exit', endNow);
  const endpoint = `http://127.0.0.1:${port}`;
  started.add(endpoint);
  return {
    endpoint,
    pid: () => child.pid,
    stop: async () => {
      stopped = true;
      started.delete(endpoint);
      process.off('exit', endNow);
      await restart;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref(); // its end is waited for, even if nothing else keeps us
      const ended = new Promise((resolve) => child.once('exit', resolve));
      endGroup(child);
      await ended;
    },
  };
}

/** Client of the embedded server (or of `DYNAMODB_ENDPOINT`); its credentials mean nothing unless the environment has some. */
export function localDynamoClient(endpoint: string): DynamoDBClient {
  const client = new DynamoDBClient({
    endpoint,
    region: process.env.AWS_REGION ?? 'us-east-1',
    maxAttempts: 6, // a restart of the server takes less than the retries of a call
    ...(process.env.AWS_ACCESS_KEY_ID ? {} : { credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }),
  });
  return started.has(endpoint) ? throughShortWay(client, endpoint) : client;
}

/** Endpoints of servers that this process has started. */
const started = new Set<string>();

function findBinary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const binary = createRequire(import.meta.url).resolve(`${name}/dynoxide`);
    accessSync(binary, constants.X_OK);
    return binary;
  } catch (cause) {
    throw new Error(
      `No embedded DynamoDB for ${process.platform}-${process.arch} (package ${name} is not installed). ` +
        'Start any DynamoDB-compatible server and set DYNAMODB_ENDPOINT to its address, e.g. DYNAMODB_ENDPOINT=http://127.0.0.1:8000.',
      { cause },
    );
  }
}

/** Another process may take the port between our look and the server's bind: then try the next. */
async function launchOnFreePort(binary: string, dbPath?: string): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { child: await launch(binary, port, dbPath), port };
    } catch (fault) {
      if (attempt === 5 || !(fault as Error).message.includes('already in use')) throw fault;
    }
  }
}

/** Resolves when the server says that it listens; rejects with its own words when it ends before. */
function launch(binary: string, port: number, dbPath?: string): Promise<ChildProcess> {
  const server = [
    binary,
    'serve',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    ...(dbPath ? ['--db-path', dbPath] : []),
  ];
  const child = spawn('/bin/sh', ['-c', guard, 'sh', ...server], { detached: true, stdio: ['pipe', 'ignore', 'pipe'] });
  child.unref();
  return new Promise((resolve, reject) => {
    let said = '';
    const onEnd = () => reject(new Error(`The embedded DynamoDB ended at start: ${said.trim() || 'no message'}`));
    child.once('error', reject);
    child.once('exit', onEnd);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000);
      if (!said.includes('listening on')) return;
      child.off('exit', onEnd);
      resolve(child);
    });
  });
}

function endGroup(child: ChildProcess): void {
  child.stdin?.destroy();
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL'); // SQLite's log makes this safe: acknowledged writes are on disk
  } catch {
    // the group is gone already
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
