/** Programs run by executor `shell` as real processes: environment, folder, and termination when their call ends. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandRunner } from '#adapters/executors/run-command.ts';
import { sandboxFunction } from '#adapters/executors/sandbox-function.ts';
import type { Command } from '#core/execution/executors/ports.ts';
import { createHandler } from '#lambdas/sandbox/event.ts';
import { faultOf, until } from '../support/executor-cases.ts';
import { scriptedAws } from '../support/scripted-aws.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'gateway-shell-'));
  mkdirSync(join(root, 'inner'));
  symlinkSync('/etc', join(root, 'out'));
  symlinkSync(join(root, 'inner'), join(root, 'link'));
  writeFileSync(join(root, 'file'), '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const environment = {
  AWS_SECRET_ACCESS_KEY: 'aws',
  GATEWAY_ADMIN_TOKEN: 'admin',
  LD_PRELOAD: '/x.so',
  NODE_OPTIONS: '--x',
  CI: 'true',
  OTHER: 'other',
  HOME: '/root',
};
const run = commandRunner({ environment });
const command = (argv: [string, ...string[]], rest: Partial<Command> = {}): Command => ({
  argv,
  root,
  timeoutMs: 50_000,
  maxOutputBytes: 10_000,
  maxProcesses: 50,
  env: [],
  ...rest,
});
const sh = (script: string, rest: Partial<Command> = {}) => run(command(['sh', '-c', script], rest));

test('[executor.shell] arguments reach the program unchanged, without a shell', async () => {
  const words = ['a b', '$HOME', '*', '; ls', '\'"', '-n', '', 'ä'];
  const { stdout, ...rest } = await run(command(['printf', '%s\\n', ...words]));
  expect(stdout).toBe(words.map((word) => `${word}\n`).join(''));
  expect(rest).toEqual({ exit_code: 0, stderr: '', truncated: false, timed_out: false });
});

test('the exit code and both outputs are returned', async () => {
  expect(await sh('echo out; echo err >&2; exit 3')).toMatchObject({ exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
});

test('the environment contains only the listed variables, and none from the gateway', async () => {
  const env = ['CI', 'ABSENT', 'AWS_SECRET_ACCESS_KEY', 'GATEWAY_ADMIN_TOKEN', 'LD_PRELOAD', 'NODE_OPTIONS'];
  const { stdout } = await run(command(['env'], { env }));
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names.sort()).toEqual(['CI', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
  expect(stdout).toContain('CI=true\n');
  expect(stdout).not.toContain('HOME=/root\n');
});

test('standard input is empty', async () => {
  expect(await run(command(['cat']))).toMatchObject({ exit_code: 0, stdout: '' });
});

test('the temporary folder is deleted afterward', async () => {
  const { stdout } = await sh('touch "$TMPDIR/x"; echo "$TMPDIR"');
  expect(stdout).toMatch(/gateway-command-/);
  expect(existsSync(stdout.trim())).toBe(false);
});

describe('the working directory', () => {
  test.each([undefined, 'inner', 'inner/', './inner/../inner', 'link'])('%p is inside', async (cwd) => {
    const { stdout } = await run(command(['pwd'], cwd === undefined ? {} : { cwd }));
    expect(stdout.trim()).toBe(realpathSync(cwd === undefined ? root : join(root, cwd)));
  });

  test('an absolute path is accepted', async () => {
    const { stdout } = await run(command(['pwd'], { cwd: join(root, 'inner') }));
    expect(stdout.trim()).toBe(realpathSync(join(root, 'inner')));
  });

  test.each(['..', 'inner/../..', 'out', 'out/ssl', '/etc', '/', 'nowhere', 'file'])('%s is refused', async (cwd) => {
    expect(await faultOf(run(command(['pwd'], { cwd })))).toMatchObject({ kind: 'refused', effect: 'none' });
  });

  test('is an empty folder if none is configured', async () => {
    const { stdout } = await run(command(['sh', '-c', 'pwd; ls -A'], { root: undefined }));
    expect(stdout).toMatch(/gateway-command-\w+\n$/);
  });
});

test.each(['no-such-program', '/bin/ls', '../ls', 'a/b', '.', ''])('program %j is refused', async (name) => {
  expect(await faultOf(run(command([name])))).toMatchObject({ kind: 'refused' });
});

test('programs are looked up only in fixed folders', async () => {
  writeFileSync(join(root, 'ls'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
  const { stdout } = await run(command(['ls']));
  expect(stdout).not.toContain('mine\n');
  rmSync(join(root, 'ls'));
});

test('long output is truncated, and the program still runs to completion', async () => {
  const result = await sh('seq 1 200000; touch after-output', { maxOutputBytes: 100 });
  expect(result).toMatchObject({ exit_code: 0, truncated: true });
  expect(Buffer.byteLength(result.stdout)).toBe(100);
  expect(existsSync(join(root, 'after-output'))).toBe(true);
});

/** Checks that a process has ended, or is a zombie whose exit status has not been read yet. */
const isGone = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('Z');
  } catch {
    return true;
  }
};
const pidIn = (name: string) => Number(readFileSync(join(root, name), 'utf8'));

describe('[executor.shell] no process outlives its call', () => {
  test('when the time limit is reached', async () => {
    const result = await sh('sleep 600 & echo $! > late; echo begun; wait', { timeoutMs: 10_000 });
    expect(result).toEqual({ exit_code: null, stdout: 'begun\n', stderr: '', truncated: false, timed_out: true });
    await until(() => isGone(pidIn('late')));
  });

  test('when the program ends before its children', async () => {
    const result = await sh('sleep 600 & echo $! > left');
    expect(result).toMatchObject({ exit_code: 0, timed_out: false });
    await until(() => isGone(pidIn('left')));
  });

  test('when the caller disconnects', async () => {
    const ends = new AbortController();
    const fault = faultOf(run(command(['sh', '-c', 'sleep 600 & echo $! > gone; wait']), ends.signal));
    await until(() => existsSync(join(root, 'gone')) && pidIn('gone') > 0);
    ends.abort();
    expect(await fault).toMatchObject({ kind: 'cancelled', effect: 'unknown' });
    await until(() => isGone(pidIn('gone')));
  });
});

const limits = existsSync('/usr/bin/prlimit') && existsSync('/proc/self/limits') ? test : test.skip;
limits('the number of processes is limited by the kernel', async () => {
  const { stdout } = await run(command(['cat', '/proc/self/limits'], { maxProcesses: 7 }));
  expect(Number(/^Max processes\s+(\d+)/m.exec(stdout)?.[1])).toBeGreaterThan(7);
  expect(stdout).toMatch(/^Max core file size\s+0 /m);
});
limits('[executor.bounds] memory and processor time of each process are limited, at a lower priority', async () => {
  const perProcess = { memoryBytes: 64 * 1024 * 1024, cpuSeconds: 7 };
  const { stdout, ...rest } = await sh('cat /proc/self/limits; nice', { perProcess });
  expect(stdout).toMatch(/^Max data size\s+67108864 /m);
  expect(stdout).toMatch(/^Max cpu time\s+7 /m);
  expect(Number(stdout.trimEnd().split('\n').at(-1))).toBeGreaterThanOrEqual(10);
  expect(rest).not.toHaveProperty('not_limited');
});
limits('[executor.bounds] a program that grows without end is stopped, and one that fits runs', async () => {
  const grow = (most: string): [string, ...string[]] => [
    'awk',
    `BEGIN { x = "a"; while (length(x) < ${most}) x = x x; print length(x) }`,
  ];
  const small = { perProcess: { memoryBytes: 64 * 1024 * 1024, cpuSeconds: 30 } };
  const stopped = await run(command(grow('1e9'), small));
  expect(stopped).toMatchObject({ stdout: '', timed_out: false });
  expect(stopped.exit_code).not.toBe(0);
  const fits = await run(command(grow('2e7'), { perProcess: { memoryBytes: 1024 ** 3, cpuSeconds: 30 } }));
  expect(fits).toMatchObject({ exit_code: 0, stdout: '33554432\n' });
});

describe('[executor.shell] on AWS', () => {
  const sandbox = createHandler(commandRunner({ environment: {} }));

  test('the function runs a command in a separate folder', async () => {
    const { root: _, ...event } = command(['sh', '-c', 'pwd; env']);
    const reply = (await sandbox(event)) as { result: { stdout: string } };
    expect(reply.result.stdout).toMatch(/gateway-command-/);
    expect(reply.result.stdout).not.toMatch(/AWS_|_HANDLER/);
  });

  test.each([
    [{}],
    [null],
    [{ argv: [] }],
    [{ argv: ['ls'], root: '/', timeoutMs: 1, maxOutputBytes: 1, maxProcesses: 1, env: [] }],
    [{ argv: ['ls'], timeoutMs: 1, maxOutputBytes: 1, maxProcesses: 1, env: ['AWS_SESSION_TOKEN'] }],
    [{ argv: ['ls'], timeoutMs: 60_000, maxOutputBytes: 1, maxProcesses: 1, env: [] }],
    [{ argv: ['ls'], cwd: '/etc', timeoutMs: 1, maxOutputBytes: 1, maxProcesses: 1, env: [] }],
  ])('%j is refused', async (event) => {
    expect(await sandbox(event)).toMatchObject({ fault: { kind: 'refused', uncertain: false } });
  });

  test('the executor sends the command once and reads the response', async () => {
    const aws = await scriptedAws();
    const runner = sandboxFunction('agent-governance-sandbox', { ...aws.client, maxAttempts: 3 });
    const given = command(['ls'], { timeoutMs: 600_000, env: ['CI'] });
    try {
      const result = { exit_code: 0, stdout: 'x', stderr: '', truncated: false, timed_out: false };
      aws.answers({ body: { result } });
      expect(await runner(given)).toEqual(result);
      expect(aws.asked[0]!.path).toBe('/2015-03-31/functions/agent-governance-sandbox/invocations');
      expect(JSON.parse(aws.asked[0]!.body)).toEqual({
        argv: ['ls'],
        timeoutMs: 50_000,
        maxOutputBytes: 10_000,
        maxProcesses: 50,
        env: [],
      });

      aws.answers({ body: { fault: { kind: 'refused', message: 'no', uncertain: false } } });
      expect(await faultOf(runner(given))).toMatchObject({ kind: 'refused', effect: 'none' });
      aws.answers({ body: { something: 'else' } });
      expect(await faultOf(runner(given))).toMatchObject({ kind: 'malformed', effect: 'unknown' });
      aws.answers({ status: 429, body: { Type: 'User', message: 'Rate exceeded' } });
      expect(await faultOf(runner(given))).toMatchObject({ kind: 'throttled', effect: 'none' });
      aws.answers({ status: 500, body: {} });
      expect(await faultOf(runner(given))).toMatchObject({ effect: 'unknown' });
      expect(aws.asked).toHaveLength(1);
    } finally {
      await aws.stop();
    }
  });
});

test('[executor.git] no program runs in a folder that only looks like a repository, and the real repository is read', async () => {
  const repository = join(root, 'repository');
  mkdirSync(repository);
  const git = (...words: string[]) => run(command(['git', ...words], { root: repository }));
  expect((await git('init', '-q', '-b', 'main')).exit_code).toBe(0);
  const bare = join(repository, 'fixtures/repo');
  mkdirSync(bare, { recursive: true });
  expect((await git('init', '-q', '--bare', 'fixtures/repo')).exit_code).toBe(0);
  const ran = join(root, 'ran');
  const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch ${ran}; false"\n`;
  writeFileSync(join(bare, 'config'), config);
  const inside = await git('-C', 'fixtures/repo', 'status');
  expect(inside.stderr).toContain('safe.bareRepository');
  expect(existsSync(ran)).toBe(false);
  expect(await git('status', '--short')).toMatchObject({ exit_code: 0, stdout: '?? fixtures/\n' });
});
