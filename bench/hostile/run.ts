/**
 * The latency of /health under requests designed to stall the gateway [limit.hostile]: `npm run bench -- --hostile`. A
 * row above 50 ms at the 99th percentile, or with an unexpected response, fails the bench. Time that the gateway spent
 * waiting for a processor used by other processes is subtracted. An idle process is probed at the same moments, so that
 * load on the machine is visible.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Child, residentMb, startChild } from '../host.ts';
import { hostileConfiguration } from './configuration.ts';
import type { ProbeTimes } from './health-probe.ts';
import type { LongestBlock } from './longest-block.ts';
import { type HostileForm, hostileRequests } from './requests.ts';
import type { Target } from './send.ts';
import { startUpstreams } from './upstreams.ts';

const allowedMs = 50;
/** Duration for which a row is repeated, so that its percentile is based on at least a hundred responses. */
const rowMs = 1_500;
const maxRounds = 20;

/** @param only substring of the names of the rows to run; all rows if empty. @returns whether every row passed. */
export async function benchHostile(only = ''): Promise<boolean> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const upstreams = await startUpstreams();
  const config = join(state, 'gateway.yaml');
  await writeFile(config, hostileConfiguration(upstreams));
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports], {
    loadedFirst: new URL('./longest-block.ts', import.meta.url),
  });
  const idler = await startChild('bench/hostile/idle-server.ts', []);
  const { gateway_url, admin_url, mcp_url } = gateway.ready as Record<string, string>;
  const target: Target = {
    gateway: gateway_url!,
    admin: admin_url!,
    mcp: mcp_url!,
    server: `http://127.0.0.1:${upstreams.mcp}`,
  };
  const probe = new Worker(new URL('./health-probe.ts', import.meta.url), {
    workerData: { gateway: admin_url, idle: `http://127.0.0.1:${idler.ready.port}/` },
  });
  let bad = 0;
  try {
    await row(probe, idle, target, gateway);
    console.log(
      `${'hostile request'.padEnd(46)} answers      rounds   p50 ms   p99 ms  starved  p99 own    block idle p99   RSS MB`,
    );
    for (const hostile of [idle, ...hostileRequests]) {
      if (hostile !== idle && !hostile.name.includes(only)) continue;
      const { statuses, rounds, probed, wrong, starved, longestMs } = await row(probe, hostile, target, gateway);
      const p99Ms = probed.gateway.p99Ms / starved;
      const slow = Math.max(p99Ms, longestMs) > allowedMs || probed.gateway.failed > 0;
      if (slow || wrong) bad++;
      const figures = [probed.gateway.p50Ms, probed.gateway.p99Ms, starved, p99Ms, longestMs, probed.idle.p99Ms]
        .map((ms) => ms.toFixed(1).padStart(8))
        .join(' ');
      const verdict = `${slow ? '  SLOW' : ''}${wrong ? `  WRONG ${wrong}` : ''}`;
      console.log(
        `${hostile.name.padEnd(46)} ${statuses.padEnd(12)} ${String(rounds).padStart(6)} ${figures} ${String(residentMb(gateway.process.pid)).padStart(8)}${verdict}`,
      );
    }
  } finally {
    await probe.terminate();
    await gateway.stop();
    await idler.stop();
    await upstreams.stop();
    await rm(state, { recursive: true, force: true });
  }
  console.log(bad === 0 ? `\nevery row within ${allowedMs} ms` : `\n${bad} rows are slow or answered wrongly`);
  return bad === 0;
}

/**
 * Returns how long the gateway's main thread ran, and how long it was ready to run but waited for a processor (Linux).
 * If other processes compete for the CPU, the gateway's own work takes proportionally longer; `p99 own` excludes
 * that effect.
 */
function schedulingTimes(pid: number | undefined): { ranNs: number; waitedNs: number } {
  const [ranNs = 0, waitedNs = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { ranNs, waitedNs };
}

const idle: HostileForm = {
  name: '(nothing)',
  answers: [0],
  send: () => new Promise((resolve) => setTimeout(() => resolve({ status: 0, text: '' }), rowMs)),
};

async function row(probe: Worker, hostile: HostileForm, target: Target, { process: gateway }: Child) {
  const statuses = new Set<number>();
  let wrong = '';
  await hostile.prepare?.(target);
  probe.postMessage('begin');
  gateway.send('begin');
  const before = schedulingTimes(gateway.pid);
  const from = performance.now();
  let rounds = 0;
  while (rounds < maxRounds && performance.now() - from < rowMs) {
    rounds++;
    const answers = await Promise.all(Array.from({ length: hostile.concurrency ?? 1 }, () => hostile.send(target)));
    for (const { status, text } of answers) {
      statuses.add(status);
      const fits = hostile.answers.includes(status) && (hostile.says === undefined || hostile.says.test(text));
      if (!fits) wrong = `${status} ${text.slice(0, 120)}`;
    }
  }
  const rest = rowMs - (performance.now() - from);
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  const after = schedulingTimes(gateway.pid);
  const measured = once(gateway, 'message');
  gateway.send('end');
  const [{ longestMs }] = (await measured) as [LongestBlock];
  const ran = after.ranNs - before.ranNs;
  const starved = ran === 0 ? 1 : (ran + after.waitedNs - before.waitedNs) / ran;
  const told = new Promise<ProbeTimes>((resolve) => probe.once('message', resolve));
  probe.postMessage('end');
  return { statuses: [...statuses].join(','), rounds, probed: await told, wrong, starved, longestMs };
}
