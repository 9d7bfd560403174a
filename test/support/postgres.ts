/** A PostgreSQL server of the machine's own package, in a temporary folder, over loopback; absent where there is none. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packages = '/usr/lib/postgresql';
/** The server refuses to run as root. */
const nobody = 65_534;

/** Where the server's programs are; undefined on a machine without them. */
export const postgresPrograms: string | undefined = existsSync(packages)
  ? readdirSync(packages)
      .map((version) => join(packages, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined;

export interface TestPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  stop(): Promise<void>;
}

/** @throws when the programs are missing: ask `postgresPrograms` before. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  const as = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'owner-password\n', { mode: 0o600 });
  if ('uid' in as) for (const path of [folder, passwordFile]) chownSync(path, nobody, nobody);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const options = [
    '-D',
    data,
    '-A',
    'scram-sha-256',
    '-U',
    'owner',
    `--pwfile=${passwordFile}`,
    '--no-sync',
    '-E',
    'UTF8',
  ];
  const made = spawnSync(join(postgresPrograms!, 'initdb'), options, { ...as, encoding: 'utf8', cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: 'off',
    logging_collector: 'off',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(postgresPrograms!, 'postgres'), ['-D', data, ...flags], {
    ...as,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  await new Promise<void>((ready, failed) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log += chunk;
      if (log.includes('ready to accept connections')) ready();
    });
    server.on('exit', () => failed(new Error(`PostgreSQL ended: ${log}`)));
  });
  return {
    ...{ host: '127.0.0.1', port, user: 'owner', password: 'owner-password' },
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
