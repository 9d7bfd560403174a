/**
 * The package started as in the image, without a container: the Dockerfile's entry point, a read-only tree, an
 * unprivileged user if the tests run as root, and an environment that contains nothing from this machine.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { ReadyEvent } from '../../bin/local/banner.ts';

const root = resolve(__dirname, '../..');
const ofCheckout = realpathSync(join(root, 'node_modules/.bin/node'));
const folder = mkdtempSync(join(tmpdir(), 'gateway-image-'));
const [app, state, node] = ['app', 'state', 'node'].map((name) => join(folder, name)) as [string, string, string];
const token = 'administrator-of-the-image';
/** User `nobody`, if the tests can change the user. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const everything = () =>
  readdirSync(app, { recursive: true, encoding: 'utf8', withFileTypes: true }).map((each) =>
    join(each.parentPath, each.name),
  );
const frozen = () => everything().map((path) => [path, statSync(path).mtimeMs, statSync(path).size]);

beforeAll(() => {
  chmodSync(folder, 0o755);
  execFileSync(join(root, 'node_modules/.bin/node'), ['package.mjs', app], { cwd: root });
  copyFileSync(ofCheckout, node);
  chmodSync(node, 0o755);
  for (const path of [app, ...everything()]) chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  mkdirSync(state, { mode: 0o700 });
  if (nobody.uid !== undefined) chownSync(state, nobody.uid, nobody.gid);
});

let running: ChildProcess | undefined;
afterAll(() => {
  running?.kill('SIGKILL');
  for (const path of [app, ...everything()]) if (statSync(path).isDirectory()) chmodSync(path, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

/** Returns an instruction from the Dockerfile's last stage in JSON form, with paths adapted to this test. */
function instruction(name: string): string[] {
  const found = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1)!
    .match(new RegExp(`^${name} (\\[.*\\])$`, 'm'))!;
  const places: Readonly<Record<string, string>> = { node, '/state': state };
  return (JSON.parse(found[1]!) as string[]).map((word) => places[word] ?? word.replace(/^\/app\//, `${app}/`));
}

const begun = (command: readonly string[], cwd: string, env: Readonly<Record<string, string>>) =>
  spawn(command[0]!, command.slice(1), {
    cwd,
    ...nobody,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/bin:/bin', NODE_ENV: 'production', ...env },
  });

function ready(child: ChildProcess): Promise<ReadyEvent> {
  return new Promise((found, failed) => {
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.once('exit', (code) => failed(new Error(`The gateway ended with ${code}:\n${said}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line.startsWith('{"event":"ready"')) found(JSON.parse(line) as ReadyEvent);
    });
  });
}

test("[package.installs] the image's entry point starts, makes decisions and exits as an unprivileged user, and writes only to its state folder", async () => {
  const before = frozen();
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0'];
  running = begun([...instruction('ENTRYPOINT'), ...ports], state, { GATEWAY_ADMIN_TOKEN: token });
  const { gateway_url, admin_url, keys_file } = await ready(running);
  // On an address that others can reach, no keys are generated.
  expect(keys_file).toBeNull();
  const here = (url: string) => url.replace('0.0.0.0', '127.0.0.1');
  expect((await fetch(`${here(gateway_url)}/health`)).status).toBe(200);
  const simulated = await fetch(`${here(admin_url)}/admin/v1/simulate`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify({
      calls: [
        {
          protocol: 'sql',
          tool: 'sql.query',
          target: 'shop',
          capability: 'write',
          parameters: { sql: 'DROP TABLE users' },
        },
      ],
    }),
  });
  expect([
    simulated.status,
    ((await simulated.json()) as { results: { decision: string }[] }).results[0]?.decision,
  ]).toEqual([200, expect.stringMatching(/block|review/)]);
  expect(readdirSync(state)).toContain('signing-key.pem');
  running.kill('SIGTERM');
  expect(await once(running, 'exit')).toEqual([0, null]);
  expect(frozen()).toEqual(before);
  for (const name of readdirSync(state)) expect([name, statSync(join(state, name)).mode & 0o077]).toEqual([name, 0]);
});

test('[package.installs] the gateway without a token and the operator without a cluster exit and name what is missing', async () => {
  const ended = async (command: readonly string[], cwd: string) => {
    const child = begun(command, cwd, {});
    let said = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const [code] = await once(child, 'close');
    return { code, said };
  };
  expect(await ended(instruction('ENTRYPOINT'), state)).toEqual({
    code: 2,
    said: expect.stringContaining('Set GATEWAY_ADMIN_TOKEN'),
  });
  const operator = await ended([node, join(app, 'bin/governance-operator.mjs')], '/tmp');
  expect([operator.code === 0, operator.said]).toEqual([false, expect.stringMatching(/\S/)]);
  expect(operator.said).not.toMatch(/^\s+at .*\(/m);
});
