/**
 * The AWS emulator: installed once below `.emulator/`, started fresh for every run on a free port with its own
 * environment, enforcing IAM. It keeps its state in memory, so stopping it leaves nothing behind.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Environment, freePort, run, stop, until } from './processes.ts';

const release = 'ministack[full]==1.5.33';
const venv = resolve('.emulator/venv');
const program = join(venv, 'bin/ministack');

export interface Emulator {
  readonly endpoint: string;
  /** The environment that an AWS client needs to reach the emulator, without any of the machine's own credentials. */
  readonly env: Environment;
  /** The account to which the emulator assigns callers without AWS credentials, such as API callers. */
  readonly account: string;
  /** Folder for this run only; it is removed when the run ends. */
  readonly scratch: string;
  stop(): Promise<void>;
}

export async function startEmulator(account = '000000000000', name = 'emulator'): Promise<Emulator> {
  await install();
  const scratch = await mkdtemp(join(tmpdir(), 'gateway-cloud-'));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  // Functions run under the first `node` in this path, whatever runtime they request, and inherit this environment.
  const path = `${resolve('node_modules/.bin')}:${process.env.PATH ?? ''}`;
  const child = spawn(program, [], {
    cwd: scratch,
    env: {
      HOME: scratch,
      PATH: path,
      TMPDIR: scratch,
      AUTH: 'true',
      MINISTACK_ACCOUNT_ID: account,
      GATEWAY_PORT: `${port}`,
      SFTP_ENABLED: '0',
      IOT_MTLS_ENABLED: '0',
      BIND_HOST: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await mkdir('.emulator', { recursive: true });
  const log = createWriteStream(`.emulator/${name}.log`);
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const emulator = {
    endpoint,
    account,
    scratch,
    env: clientEnvironment(endpoint, path, scratch),
    stop: () => stop(child).then(() => rm(scratch, { recursive: true, force: true })),
  };
  try {
    await until('the emulator to answer', 30, async () => {
      if (child.exitCode !== null)
        throw new Error(`the emulator ended with ${child.exitCode}: see .emulator/${name}.log`);
      return (await fetch(`${endpoint}/_ministack/health`).catch(() => undefined))?.ok;
    });
  } catch (thrown) {
    await emulator.stop();
    throw thrown;
  }
  return emulator;
}

async function install(): Promise<void> {
  if (existsSync(program)) return;
  const env = { ...process.env } as Environment;
  await run('python3', ['-m', 'venv', venv], { env });
  await run(join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', release], { env });
}

const clientEnvironment = (endpoint: string, path: string, scratch: string): Environment => ({
  PATH: path,
  HOME: scratch,
  // The CDK caches account ids per access key there, and the emulators of this run share a key.
  CDK_HOME: join(scratch, '.cdk'),
  TMPDIR: scratch,
  AWS_ENDPOINT_URL: endpoint,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  AWS_REGION: 'us-east-1',
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  NODE_NO_WARNINGS: '1',
  CI: '1',
});
