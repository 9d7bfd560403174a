/** Startup of the local run: invalid flags exit with one sentence instead of a stack trace. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentctl, root, workFolder } from './client.ts';

interface Surroundings {
  readonly cwd?: string;
  readonly state?: readonly string[];
  readonly meanwhile?: () => Promise<unknown>;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program until it exits or reports that it is ready; then runs `meanwhile` and stops it. */
function run(
  args: readonly string[],
  env: Record<string, string> = {},
  { cwd = root, state = ['--state', workFolder()], meanwhile = async () => {} }: Surroundings = {},
): Promise<Ended> {
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  const child = spawn(join(root, 'node_modules/.bin/node'), [join(root, 'bin/local.ts'), ...state, ...ports, ...args], {
    cwd,
    env: { ...process.env, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (/"event":"ready".*\n/.test(out)) void meanwhile().finally(() => child.kill('SIGTERM'));
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((done) => child.on('close', (code) => done({ code, out, err })));
}

const stack = /\n\s+at .*\.ts:\d+/;

test('[cli.own-folder] [config.shipped-files] starting in any folder creates a private .gateway for agentctl, and reads no prices from that folder', async () => {
  const cwd = workFolder();
  mkdirSync(join(cwd, 'config'));
  writeFileSync(join(cwd, 'config/prices.yaml'), 'mine');
  let listed: Awaited<ReturnType<typeof agentctl>> | undefined;
  const meanwhile = async () => {
    listed = await agentctl(['pending'], { GATEWAY_STATE: '' }, cwd);
  };
  const { code, err } = await run([], { GATEWAY_STATE: '' }, { cwd, state: [], meanwhile });
  expect([code, err.includes('mine')]).toEqual([0, false]);
  expect(statSync(join(cwd, '.gateway')).mode & 0o777).toBe(0o700);
  expect(listed).toMatchObject({ code: 0, err: '' });
});

test('[cli.own-folder] a .gateway that other users can access is rejected with instructions', async () => {
  const cwd = workFolder();
  mkdirSync(join(cwd, '.gateway'));
  chmodSync(join(cwd, '.gateway'), 0o755);
  const { code, err } = await run([], { GATEWAY_STATE: '' }, { cwd, state: [] });
  expect(code).toBe(2);
  expect(err).toMatch(/is not used: other users have access .* run: chmod 700 \S+\.gateway\. .*--state/);
  expect(err).not.toMatch(stack);
});

test('[local.ready] [local.drain] prints a banner, one ready line and four commands, and exits 0 on SIGTERM', async () => {
  const { code, out } = await run([]);
  expect(code).toBe(0);
  const ready = out.split('\n').filter((line) => line.startsWith('{') && line.includes('"ready"'));
  expect(ready).toHaveLength(1);
  expect(JSON.parse(ready[0]!)).toMatchObject({
    event: 'ready',
    version: expect.any(String),
    admin_url: expect.any(String),
    keys_file: expect.any(String),
  });
  expect(out.match(/\.\/agentctl /g)).toHaveLength(4);
  expect(out).toMatch(/\.\/agentctl --state \S+ approve <envelope_id> .*--reviewer/);
});
