/**
 * Compares chat calls with a bare Node proxy in the same run, with every policy, limit, budget and evidence write
 * enabled: throughput, added time to the first token, CPU time and memory. `PORTKEY_DIR` names an installed
 * `@portkey-ai/gateway`, which is then measured in the same run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, cpuMs, residentMb, startChild } from './host.ts';
import { type LoadResult, load, warmUpCalls } from './load.ts';

export const chatConfiguration = (provider: unknown) => `
version: 1
providers: [{ name: up, type: openai, base_url: "http://127.0.0.1:${provider}/v1", models: ["bench"] }]
tenants:
  - id: default
    api_keys: [{ key: bench-key, name: bench }]
    rate_limit: { requests_per_minute: 10000000, tokens_per_minute: 100000000000 }
policies:
  input:
    - { name: words, type: keyword, action: block, keywords: ["ignore previous instructions", "disregard the above"] }
    - { name: keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }
    - { name: pii, type: pii, action: warn, entities: [email, ssn, credit_card, phone] }
  output:
    - { name: project, type: keyword, action: block, keywords: ["confidential project x"] }
    - { name: keys-out, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }
budgets: { tenants: { default: { monthly_usd: 1000000 } } }
cache: { enabled: false }
`;

const words = 'Summarise the attached design note in three bullet points. '.repeat(8);
export const chatBody = (stream: boolean) => () =>
  JSON.stringify({
    model: 'bench',
    max_tokens: 64,
    messages: [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: words },
    ],
    ...(stream && { stream }),
  });

interface Target {
  readonly name: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly pid: number | undefined;
}

/** @param soak the number of additional calls over which memory growth is measured. */
export async function benchChat(soak: number): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const quick = await startChild('bench/provider-server.ts', []);
  const paced = await startChild('bench/provider-server.ts', [], {
    env: { FIRST_MS: '50', GAP_MS: '10', CHUNKS: '40' },
  });
  const started: Child[] = [quick, paced];
  const figures: Record<string, number> = {};
  try {
    const fast = await targets(quick.ready.port, join(state, 'quick'), started);
    await measureStart(fast, figures);
    for (const target of fast) await warmUp(target, figures);
    for (const concurrency of [1, 16, 64]) await throughput(fast, concurrency, figures);
    const slow = await targets(paced.ready.port, join(state, 'paced'), started);
    for (const target of slow) await warmUp(target, {});
    for (const target of slow) await load({ ...target, body: chatBody(true), requests: 200, concurrency: 16 });
    await firstToken(slow, figures);
    const ours = fast.find(({ name }) => name === 'gateway')!;
    figures['gateway, RSS after c=64, MB'] = residentMb(ours.pid);
    if (soak > 0) {
      await load({ ...ours, body: chatBody(false), requests: soak, concurrency: 16 });
      figures[`gateway, RSS after ${soak} more calls, MB`] = residentMb(ours.pid);
    }
    figures['gateway, allocated per call, kB'] =
      (await bytesPerCall(quick.ready.port, join(state, 'allocated'))) / 1_000;
  } finally {
    for (const child of started.reverse()) await child.stop();
    await rm(state, { recursive: true, force: true });
  }
  return figures;
}

async function startGateway(provider: unknown, state: string, loadedFirst?: URL): Promise<Child> {
  const config = `${state}.yaml`;
  await writeFile(config, chatConfiguration(provider));
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  return startChild('bin/local.ts', ['--state', state, '--config', config, ...ports], loadedFirst && { loadedFirst });
}

const headers = { 'x-api-key': 'bench-key' };
const gatewayTarget = ({ ready, process: { pid } }: Child): Target => ({
  name: 'gateway',
  url: `${ready.gateway_url}/v1/chat/completions`,
  headers,
  pid,
});

async function targets(provider: unknown, state: string, started: Child[]): Promise<Target[]> {
  const floor = await startChild('bench/bare-proxy.ts', [], { env: { UPSTREAM_PORT: String(provider) } });
  const gateway = await startGateway(provider, state);
  started.push(floor, gateway);
  const found: Target[] = [
    { name: 'bare proxy', url: `http://127.0.0.1:${floor.ready.port}/`, headers, pid: floor.process.pid },
    gatewayTarget(gateway),
  ];
  const portkey = await startPortkey(provider, started.length);
  if (portkey) {
    started.push(portkey.child);
    found.push(portkey.target);
  }
  return found;
}

/** Measures CPU time and memory before the first call. Work that follows the start has a moment to end. */
async function measureStart(all: readonly Target[], figures: Record<string, number>): Promise<void> {
  await sleep(1_500);
  for (const { name, pid } of all) {
    figures[`${name}, start, CPU ms`] = cpuMs(pid);
    figures[`${name}, start, RSS MB`] = residentMb(pid);
  }
}

/** Returns the bytes that the gateway's main thread allocates per call. */
async function bytesPerCall(provider: unknown, state: string): Promise<number> {
  const gateway = await startGateway(provider, state, new URL('./allocated.ts', import.meta.url));
  const answer = async (): Promise<number> => {
    const replied = once(gateway.process, 'message');
    gateway.process.send('next');
    return (await replied)[0];
  };
  try {
    const calls = { ...gatewayTarget(gateway), body: chatBody(false), concurrency: 16 };
    await load({ ...calls, requests: warmUpCalls / 2 });
    await answer();
    const requests = 3_000;
    await load({ ...calls, requests });
    return (await answer()) / requests;
  } finally {
    await gateway.stop();
  }
}

async function warmUp(target: Target, figures: Record<string, number>): Promise<void> {
  const few = 1_000;
  const before = cpuMs(target.pid);
  await load({ ...target, body: chatBody(false), requests: few, concurrency: 16 });
  figures[`${target.name}, first ${few} calls, CPU ms a call`] = (cpuMs(target.pid) - before) / few;
  await load({ ...target, body: chatBody(false), requests: warmUpCalls - few, concurrency: 16 });
}

const rounds = 5;

/** Measures the targets in turn, several times, so that a change in the machine's speed affects all of them. */
async function throughput(all: readonly Target[], concurrency: number, figures: Record<string, number>): Promise<void> {
  const requests = concurrency === 1 ? 200 : 2_000;
  const results = new Map(all.map(({ name }) => [name, { loads: [] as LoadResult[], cpuMs: 0 }]));
  for (let round = 0; round < rounds; round++) {
    for (const target of all) {
      const before = cpuMs(target.pid);
      const result = await load({ ...target, body: chatBody(false), requests, concurrency });
      if (result.failed > 0) throw new Error(`${result.failed} of ${requests} calls to the ${target.name} failed`);
      const own = results.get(target.name)!;
      own.loads.push(result);
      own.cpuMs += cpuMs(target.pid) - before;
    }
  }
  const cpu = (name: string) => results.get(name)!.cpuMs / rounds / requests;
  const middle = (name: string, figure: 'perSecond' | 'p50Ms' | 'p99Ms') =>
    results
      .get(name)!
      .loads.map((each) => each[figure])
      .sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
  for (const { name } of all) {
    figures[`${name} c=${concurrency}, req/s`] = middle(name, 'perSecond');
    figures[`${name} c=${concurrency}, p50 ms`] = middle(name, 'p50Ms');
    figures[`${name} c=${concurrency}, p99 ms`] = middle(name, 'p99Ms');
    figures[`${name} c=${concurrency}, CPU ms a call`] = cpu(name);
  }
  const ratio = `c=${concurrency}, ratio to`;
  figures[`${ratio} the bare proxy`] = middle('gateway', 'perSecond') / middle('bare proxy', 'perSecond');
  figures[`${ratio} the bare proxy's CPU time`] = cpu('gateway') / cpu('bare proxy');
  if (!results.has('portkey')) return;
  const added = (name: string) => middle(name, 'p50Ms') - middle('bare proxy', 'p50Ms');
  figures[`${ratio} portkey`] = middle('gateway', 'perSecond') / middle('portkey', 'perSecond');
  figures[`${ratio} portkey's added p50`] = added('gateway') / added('portkey');
}

/** Measures the time to the first chunk of a stream of 40 chunks, 10 ms apart, for one caller at a time. */
async function firstToken(all: readonly Target[], figures: Record<string, number>): Promise<void> {
  const [floor, ...others] = await Promise.all(
    all.map(async (target) => ({
      target,
      result: await load({ ...target, body: chatBody(true), requests: 40, concurrency: 2 }),
    })),
  );
  for (const { target, result } of others) {
    figures[`${target.name}, first token added p50 ms`] = result.firstP50Ms - floor!.result.firstP50Ms;
    figures[`${target.name}, first token added p99 ms`] = result.firstP99Ms - floor!.result.firstP99Ms;
  }
}

async function startPortkey(provider: unknown, offset: number): Promise<{ child: Child; target: Target } | undefined> {
  const folder = process.env.PORTKEY_DIR;
  if (!folder) return undefined;
  const port = 19_200 + offset;
  const script = join(folder, 'build/start-server.js');
  const child: ChildProcess = spawn(process.execPath, [script, `--port=${port}`, '--headless'], { stdio: 'ignore' });
  const headers = {
    authorization: 'Bearer k',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${provider}/v1`,
  };
  const target = { name: 'portkey', url: `http://127.0.0.1:${port}/v1/chat/completions`, headers, pid: child.pid };
  for (let tries = 0; tries < 100; tries++) {
    const { failed } = await load({ ...target, body: chatBody(false), requests: 1, concurrency: 1 });
    if (failed === 0) return { child: endedChild(child), target };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill('SIGKILL');
  throw new Error(`Portkey in ${folder} did not respond`);
}

const endedChild = (child: ChildProcess): Child => ({
  process: child,
  ready: {},
  readyMs: 0,
  stop: async () => void child.kill('SIGKILL'),
});
