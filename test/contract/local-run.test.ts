/** `node bin/local.ts` as a user starts it: flags, ready line, refusals, hot reload, restart. */
import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import packageJson from '#package' with { type: 'json' };
import { startGateway } from '../support/gateway.ts';
import { useStarted } from '../support/use-started.ts';

const { version } = packageJson;
const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'gateway-run-'));
const config = join(folder, 'gateway.yaml');

const gateway = useStarted(() => {
  copyFileSync(join(root, 'config/gateway.yaml'), config);
  return startGateway({ config, state: mkdtempSync(join(folder, 'state-')) });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: number; out: string; err: string }>((done) => {
    const options = { cwd: root, env: { ...process.env, ...env }, timeout: 150_000 };
    execFile(join(root, 'node_modules/.bin/node'), ['bin/local.ts', ...args], options, (error, out, err) =>
      done({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
  });

const agentctl = (command: string) =>
  new Promise<{ code: number; out: string }>((done) => {
    const args = ['bin/agentctl.ts', command, '--url', gateway.ready.admin_url, '--key', gateway.keys.admin_token];
    execFile(join(root, 'node_modules/.bin/node'), args, { cwd: root, timeout: 150_000 }, (error, out) =>
      done({ code: error ? Number(error.code ?? -1) : 0, out }),
    );
  });

const get = async (path: string, key = gateway.keys.admin_token, base = gateway.ready.admin_url) => {
  const response = await fetch(base + path, { headers: { 'x-api-key': key } });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await new Promise((wait) => setTimeout(wait, 20));
};

test('the ready line names the keys file and three listeners that respond to /health', async () => {
  const { ready } = gateway;
  expect(ready).toMatchObject({ event: 'ready', version, keys_file: join(gateway.state, 'keys.json') });
  expect(ready.edge_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  for (const url of [ready.gateway_url, ready.admin_url, ready.mcp_url]) {
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok', version });
  }
  expect(JSON.parse(readFileSync(join(gateway.state, 'ready.json'), 'utf8'))).toEqual(ready);
  expect((await fetch(`${ready.gateway_url}/admin/v1/whoami`)).status).toBe(404);
});

test('files in the state folder are readable only by their owner', () => {
  for (const file of ['keys.json', 'ready.json', 'signing-key.pem', 'scm-app-key.pem', 'store.db']) {
    expect([file, statSync(join(gateway.state, file)).mode & 0o077]).toEqual([file, 0]);
  }
});

test('a second gateway on the same state folder is refused and does no damage', async () => {
  const { code, err } = await run([
    '--state',
    gateway.state,
    '--gateway-port',
    '0',
    '--admin-port',
    '0',
    '--mcp-port',
    '0',
  ]);
  expect([code, err]).toEqual([1, expect.stringMatching(/in use by process \d+.*--state/)]);
  expect((await get('/admin/v1/whoami')).status).toBe(200);
});

test('[policy.hot-reload] a changed configuration takes effect; an invalid one is reported until corrected, and the old one stays in force', async () => {
  const versionNow = async () => (await get('/admin/v1/policy-versions/current')).body.version;
  const good = readFileSync(config, 'utf8');
  const before = await versionNow();
  writeFileSync(config, good.replace('pack: pr-writer', 'pack: readonly'));
  await until(async () => (await versionNow()) === Number(before) + 1);
  writeFileSync(config, 'version: 1\ntennants: []\n');
  await until(() => /configuration not imported.*tennants/.test(gateway.log()));
  const broken =
    /The configuration file gateway\.yaml does not load, so version \d+ stays in force: .*tennants \(line 2\)/;
  const shown = await agentctl('status');
  expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/degraded/) });
  expect(shown.out).toMatch(broken);
  const doctor = await agentctl('doctor');
  expect(doctor.code).not.toBe(0);
  expect(doctor.out).toMatch(/^fail +health: configuration file is degraded: .*tennants/m);
  expect((await get('/admin/v1/policies')).body.warnings).toContainEqual(expect.stringMatching(broken));
  expect(await versionNow()).toBe(Number(before) + 1);
  writeFileSync(config, good);
  await until(async () => (await versionNow()) === Number(before) + 2);
  expect((await agentctl('status')).out).not.toContain('does not load');
  expect((await agentctl('doctor')).out).not.toContain('configuration file');
});

test('[store.survives] the store needs neither a separate process nor a port', async () => {
  const pid = lockHolder();
  expect(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()).toBe('');
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode ?? [];
    }),
  );
  const listening = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(inode ?? ''))
      .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16)),
  );
  const urls = [gateway.ready.gateway_url, gateway.ready.admin_url, gateway.ready.mcp_url];
  expect(listening).toEqual(expect.arrayContaining(urls.map((url) => Number(new URL(url).port))));
  const headers = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' };
  for (const port of listening) {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' }).catch(
      () => undefined,
    );
    expect([port, answer?.status === 200]).toEqual([port, false]);
  }
});

/** Returns the target of a link. The descriptor may be closed in the meantime. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const lockHolder = (): number => JSON.parse(readFileSync(join(gateway.state, 'lock'), 'utf8')).pid;

test('kill -9 leaves no lock that blocks the next start', async () => {
  const keys = { ...gateway.keys };
  await gateway.kill9();
  await gateway.restart();
  expect((await get('/admin/v1/whoami', keys.human)).status).toBe(200);
});

describe('refuses to start', () => {
  const fresh = () => ['--state', join(folder, 'state'), '--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0'];

  test.each<[name: string, args: string[], env: Record<string, string>, code: number, says: RegExp]>([
    ['an unknown flag', ['--colour'], {}, 2, /--colour.*--help/],
    ['a bad port', ['--admin-port', 'x'], {}, 2, /--admin-port.*65535/],
    ['a host that others reach, with generated keys', ['--host', '0.0.0.0'], {}, 2, /GATEWAY_ADMIN_TOKEN/],
    ['a missing configuration', ['--config', '/nowhere.yaml'], {}, 1, /no configuration at \/nowhere.yaml/],
    ['a bad configuration', ['--config', join(root, 'package.json')], {}, 1, /version/],
    [
      'a store that is not there',
      [],
      { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' },
      1,
      /DYNAMODB_ENDPOINT=http:\/\/127.0.0.1:1/,
    ],
  ])('%s', async (_, args, env, code, says) => {
    expect(await run([...fresh(), ...args], env)).toMatchObject({ code, err: expect.stringMatching(says) });
  });

  test('if the port is already in use', async () => {
    const { port } = new URL(gateway.ready.admin_url);
    expect(await run([...fresh(), '--admin-port', port])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/in use/),
    });
  });
});

test('--help', async () => {
  expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--state DIR') });
});

test('npm start names the required version in one line on an older Node', () => {
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
  const flags = packageJson.scripts.start.split(' ').slice(1);
  const { status, stderr } = spawnSync('node', ['--import', `data:text/javascript,${older}`, ...flags], { cwd: root });
  expect([status, String(stderr)]).toEqual([1, expect.stringMatching(/^This is Node .*needs Node 24.*\n$/)]);
});

test('prints --version; a later start does not load the TypeScript compiler', async () => {
  const flags = packageJson.scripts.start.split(' ').slice(1, -1);
  const cache = mkdtempSync(join(folder, 'cache-'));
  // When it exits, the process prints whether the compiler was loaded.
  const told = `process.once('exit', () => process.stderr.write(String(process.moduleLoadList.some((name) => name.includes('amaro')))))`;
  const args = [...flags, '--import', `data:text/javascript,${encodeURIComponent(told)}`, 'bin/local.ts', '--version'];
  const start = () =>
    new Promise<{ out: string; err: string }>((done) => {
      // With NODE_COMPILE_CACHE, Node itself would enable the cache.
      const { NODE_COMPILE_CACHE: _, ...rest } = process.env;
      const env = { ...rest, NODE_OPTIONS: '', TMPDIR: cache };
      execFile(join(root, 'node_modules/.bin/node'), args, { cwd: root, env }, (_, out, err) => done({ out, err }));
    });
  expect(await start()).toEqual({ out: `${version}\n`, err: 'true' });
  expect(await start()).toEqual({ out: `${version}\n`, err: 'false' });
});

test('SIGTERM exits with 0 and releases the lock', async () => {
  expect(existsSync(join(gateway.state, 'lock'))).toBe(true);
  expect(await gateway.stop()).toBe(0);
  expect(existsSync(join(gateway.state, 'lock'))).toBe(false);
});
