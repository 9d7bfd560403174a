/**
 * Programs run by the executor `shell` as real processes in containment, and the parts of the gateway that they can
 * reach. If this machine has no containment, programs do not run.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { byBubblewrap, byUnshare, type Containment, findContainment } from '#adapters/executors/containment.ts';
import { commandRunner } from '#adapters/executors/run-command.ts';
import { ExecutionFault } from '#core/execution/executors/fault.ts';
import type { Command } from '#core/execution/executors/ports.ts';
import { shellExecutor } from '#core/execution/executors/shell.ts';
import { shellWords } from '#core/execution/executors/shell-words.ts';
import { configured, envelopeOf, until } from '../support/executor-cases.ts';

let containment: Containment | undefined;
let state: string;
let root: string;
let port: number;
let connections = 0;
let closed = 0;
const listener = createServer((socket) => {
  connections += 1;
  socket.on('close', () => {
    closed += 1;
  });
  socket.on('error', () => {});
  socket.resume();
});

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'gateway-state-'));
  root = mkdtempSync(join(tmpdir(), 'gateway-root-'));
  writeFileSync(join(state, 'keys.json'), 'the-secret-of-the-state-folder');
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening));
  port = (listener.address() as { port: number }).port;
});
beforeEach(async () => {
  containment = await findContainment([state]);
});
afterAll(() => {
  listener.close();
  for (const folder of [state, root]) rmSync(folder, { recursive: true, force: true });
});

const command = (script: string, network = false): Command => ({
  argv: ['bash', '-c', script],
  root,
  timeoutMs: 120_000,
  maxOutputBytes: 10_000,
  maxProcesses: 50,
  env: [],
  containment: { network },
});

/** Returns the outcome of a script. Without containment, the outcome must be a refusal. */
async function outcomeOf(script: string, network = false) {
  const run = commandRunner({ environment: {}, contain: async () => containment });
  if (containment) return run(command(script, network));
  await expect(run(command(script, network))).rejects.toThrow('cannot contain programs');
  return undefined;
}

const attempts = (): readonly (readonly [string, string])[] => [
  ['reads a file of the state folder', `cat ${state}/keys.json`],
  ['lists the state folder', `ls ${state} | grep keys`],
  ['takes the hiding away', `umount ${state}; unshare -rm umount ${state}; cat ${state}/keys.json`],
  ['reads the environment of the gateway', `tr '\\0' '\\n' < /proc/${process.pid}/environ | grep PATH`],
  ['finds the gateway among the processes', 'grep -lx node /proc/[0-9]*/comm'],
  ['signals the gateway', `kill -0 ${process.pid}`],
  ['connects to a port of the gateway', `exec 3<>/dev/tcp/127.0.0.1/${port}`],
  ['has a right of root', 'grep -E "^Cap(Eff|Prm|Bnd):.*[1-9a-f]" /proc/self/status'],
  ['sees the sockets of services', 'test -n "$(find /run -type s)"'],
];

test.each([
  ['unshare', byUnshare],
  ['bwrap, where it is installed', byBubblewrap],
])('[executor.contained] with %s, no program can read, find, signal or call the gateway', async (_, way) => {
  containment = await findContainment([state], [way]);
  const before = connections;
  for (const [what, script] of attempts()) {
    const outcome = await outcomeOf(script);
    if (outcome) expect([what, outcome.exit_code === 0, outcome.stdout]).toEqual([what, false, '']);
  }
  expect(connections).toBe(before);
});

test('[executor.contained] a contained program works in its folder as its own user, and its outcome is reported', async () => {
  const outcome = await outcomeOf('id -u; echo made > inner.txt; cat inner.txt; echo wrong >&2; exit 3');
  if (!outcome) return;
  expect(outcome).toMatchObject({ exit_code: 3, stdout: `${process.getuid?.()}\nmade\n`, stderr: 'wrong\n' });
  expect(readFileSync(join(root, 'inner.txt'), 'utf8')).toBe('made\n');
});

test('[executor.contained] with network access allowed, it reaches a port but still no state', async () => {
  const before = connections;
  const outcome = await outcomeOf(`exec 3<>/dev/tcp/127.0.0.1/${port} && ! cat ${state}/keys.json`, true);
  if (!outcome) return;
  expect(outcome.exit_code).toBe(0);
  await until(() => connections === before + 1);
});

test.each([
  ['unshare', byUnshare],
  ['bwrap, where it is installed', byBubblewrap],
])(
  '[executor.contained] with %s, network: true finds the DNS servers even when a hidden folder contains that file',
  async (_, way) => {
    const services = mkdtempSync(join(tmpdir(), 'gateway-run-'));
    const link = join(root, 'resolv.conf');
    mkdirSync(join(services, 'resolve'));
    writeFileSync(join(services, 'resolve', 'stub.conf'), 'nameserver 127.0.0.53\n');
    writeFileSync(join(services, 'service.sock'), '');
    rmSync(link, { force: true });
    symlinkSync(join(services, 'resolve', 'stub.conf'), link);
    containment = await findContainment([state, services], [way], 'hidden', link);
    const look = `cat resolv.conf; ls ${services} ${services}/resolve; echo x > ${services}/resolve/stub.conf`;
    const seen = await outcomeOf(look, true);
    if (seen)
      expect(seen.stdout).toBe(`nameserver 127.0.0.53\n${services}:\nresolve\n\n${services}/resolve:\nstub.conf\n`);
    expect(readFileSync(join(services, 'resolve', 'stub.conf'), 'utf8')).toBe('nameserver 127.0.0.53\n');
    const without = await outcomeOf('cat resolv.conf');
    if (without) expect(without.stdout).toBe('');
    rmSync(services, { recursive: true, force: true });
  },
);

test('[executor.contained] no process outlives its call, not even one that has left its process group', async () => {
  const before = { connections, closed };
  const run = commandRunner({ environment: {}, contain: async () => containment });
  const leaving = `setsid bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}; sleep 600' & sleep 600`;
  const cancelled = new AbortController();
  const outcome = run({ ...command(leaving, true), timeoutMs: 600_000 }, cancelled.signal);
  if (!containment) return expect(outcome).rejects.toThrow('cannot contain programs');
  await until(() => connections === before.connections + 1);
  cancelled.abort();
  await expect(outcome).rejects.toThrow('cancelled');
  await until(() => closed === before.closed + 1);
});

test('[executor.contained] without containment, no program runs unless the configuration allows it', async () => {
  const none = commandRunner({ environment: {}, contain: async () => undefined });
  await expect(none(command('echo ran'))).rejects.toThrow(ExecutionFault);
  const plain = await none({ ...command('echo ran'), containment: undefined });
  expect(plain.stdout).toBe('ran\n');
});

test.each([
  ['contained without network, unless told otherwise', {}, { network: false }],
  ['contained with network', { network: true }, { network: true }],
  ['not contained', { contained: false }, undefined],
])('[executor.contained] the executor asks for a program that is %s', async (_, settings, expected) => {
  const asked: Command[] = [];
  const shell = { enabled: true, allowed_binaries: ['ls'], working_directory: root, ...settings };
  const executor = shellExecutor(
    configured({ executors: { shell } }).executors.shell,
    async (wanted) => {
      asked.push(wanted);
      return { exit_code: 0, stdout: '', stderr: '', truncated: false, timed_out: false };
    },
    { shellWords: async (line) => shellWords(line), commandSlots: undefined },
  );
  await executor.execute(envelopeOf('shell', 'shell.ls', '', 'execute', { argv: ['ls'] }), undefined, {});
  expect(asked[0]?.containment).toEqual(expected);
});
