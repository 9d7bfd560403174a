/** The package as a user gets it: packed, installed into an empty folder, started and called. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { ReadyEvent } from '../../bin/local/banner.ts';
import packageJson from '../../package.json' with { type: 'json' };

const { version } = packageJson;
const root = resolve(__dirname, '../..');
const node = join(root, 'node_modules/.bin/node');
const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'));
const [built, app, state, config] = ['built', 'app', 'state', 'gateway.yaml'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
  string,
];
const program = (name: string) => join(app, 'node_modules/agent-governance-gateway/bin', `${name}.mjs`);

/** Environment with the npm of this checkout's Node, and without npm variables inherited from the caller. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^GATEWAY_|^NODE_OPTIONS$/i.test(name)),
);
const run = (file: string, args: readonly string[], cwd: string) =>
  promisify(execFile)(file, args, { cwd, env: environment });

beforeAll(async () => {
  await run(node, ['package.mjs', built], root);
  const { stdout } = await run('npm', ['pack', built, '--pack-destination', folder, '--silent'], folder);
  const archive = join(folder, stdout.trim());
  const install = ['install', archive, '--prefix', app, '--offline', '--no-audit', '--no-fund'];
  await run('npm', install, folder);
  const shipped = readFileSync(join(built, 'config/gateway.yaml'), 'utf8');
  writeFileSync(config, shipped.replace('pack: pr-writer', 'pack: sql-explorer'));
});

let gateway: ChildProcess | undefined;
afterAll(() => {
  gateway?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function started(): Promise<ReadyEvent> {
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--no-edge'];
  const child = spawn(node, [program('agent-governance-gateway'), '--state', state, '--config', config, ...ports], {
    cwd: app,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  gateway = child;
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.once('exit', (code) => reject(new Error(`The gateway ended with ${code}:\n${said}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{"event":"ready"')) resolve(JSON.parse(line) as ReadyEvent);
    });
  });
}

test('[package.installs] the package starts in an empty folder, and agentctl can govern an action with it', async () => {
  const ready = await started();
  expect(ready.version).toBe(version);
  const ctl = async (...args: string[]) =>
    (
      await promisify(execFile)(node, [program('agentctl'), ...args], {
        cwd: app,
        env: { ...environment, GATEWAY_STATE: state },
      })
    ).stdout;
  expect((await ctl('--version')).trim()).toBe(version);
  // The text is read by a compiled grammar shipped with the code; without it, the decision would be a review.
  const action = ['--protocol', 'sql', '--tool', 'sql.query', '--target', 'shop', '--capability', 'read'];
  const text = 'query=select id from users where created_at > 1';
  expect(await ctl('test-action', ...action, '--param', text, '--session', 'packed')).toMatch(/^decision: allow$/m);
  expect(await ctl('evidence', 'verify', '--session', 'packed')).toMatch(/^valid: true$/m);
  for (const file of ['', 'console.js', 'style.css'])
    expect([file, (await fetch(`${ready.admin_url}/console/${file}`)).status]).toEqual([file, 200]);
  expect(readdirSync(join(built, 'console')).filter((name) => /\.(mjs|tsx?|json)$/.test(name))).toEqual([]);
  const ended = new Promise((resolve) => gateway!.once('exit', resolve));
  gateway!.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('[package.installs] the package installs no dependencies, contains no sources, and is at most 15 MB', () => {
  expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'agent-governance-gateway',
  ]);
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(built, name)).isFile(),
  );
  expect(files.filter((name) => /\.ts$|\.map$|cases\.yaml$|(^|\/)\.env|\.pem$/.test(name))).toEqual([]);
  const bytes = files.reduce((sum, name) => sum + statSync(join(built, name)).size, 0);
  expect(bytes).toBeLessThanOrEqual(15 * 1024 * 1024);
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'LICENSE',
      join('bin', 'agent-governance-gateway.mjs'),
      join('bin', 'agentctl.mjs'),
      join('bin', 'governance-operator.mjs'),
      'sbom.cdx.json',
      join('config', 'gateway.yaml'),
      join('policies', 'pr-writer.yaml'),
      join('state-machines', 'approval.asl.json'),
    ]),
  );
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  // The command starts Node with the options of `npm start`: if set later, the young generation would keep its size.
  const flags = packageJson.scripts.start.split(' ').filter((word) => /^--(?!import)/.test(word));
  const [first] = readFileSync(join(built, 'bin', 'agent-governance-gateway.mjs'), 'utf8').split('\n');
  const heap = 'MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=16384 MALLOC_MMAP_MAX_=16384';
  expect(first).toBe(`#!/usr/bin/env -S ${heap} node ${flags.join(' ')}`);
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('private');
});

describe('[supply-chain.provenance]', () => {
  const sbom = () => JSON.parse(readFileSync(join(built, 'sbom.cdx.json'), 'utf8'));

  test('the bill of materials lists every bundled package, with version and license', () => {
    expect(sbom()).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { name: packageJson.name, version } },
    });
    const names = sbom().components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['zod', '@aws-sdk/client-dynamodb', 'commander']));
    for (const { purl, version: each, licenses } of sbom().components) {
      expect([purl, each, licenses]).toEqual([
        expect.stringMatching(/^pkg:npm\//),
        expect.any(String),
        [expect.anything()],
      ]);
    }
  });
});

test.each(['agent-governance-gateway', 'agentctl'])(
  '[package.installs] %s started with an older Node names the required version in one line',
  async (name) => {
    const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })";
    const started = run(node, ['--import', `data:text/javascript,${older}`, program(name)], app);
    await expect(started).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^(The gateway|agentctl) needs Node \d+ or later; this is .*\.\n$/),
    });
  },
);
