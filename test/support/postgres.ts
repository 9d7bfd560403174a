/**
 * A PostgreSQL server from the machine's package, in a temporary folder on loopback; undefined if none is installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './dynoxide.ts';

const packages = '/usr/lib/postgresql';
/** User to run the server as, because it refuses to run as root. */
const nobody = 65_534;

/** Folder of the server's programs; undefined on a machine without them. */
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

/** @throws if the programs are missing: check `postgresPrograms` first. */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-postgres-'));
  const as = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'owner-password\n', { mode: 0o600 });
  if ('uid' in as) for (const path of [folder, passwordFile]) chownSync(path, nobody, nobody);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  const options = ['-D', data, ...'-A scram-sha-256 -U owner --no-sync -E UTF8'.split(' '), `--pwfile=${passwordFile}`];
  const made = spawnSync(join(postgresPrograms!, 'initdb'), options, { ...as, encoding: 'utf8', cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = `listen_addresses=127.0.0.1 port=${port} unix_socket_directories= fsync=off logging_collector=off`;
  const flags = settings.split(' ').flatMap((each) => ['-c', each]);
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
    host: '127.0.0.1',
    port,
    user: 'owner',
    password: 'owner-password',
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
