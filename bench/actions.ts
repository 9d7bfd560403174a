/** Compares `test-action` over HTTP with a bare echo in the same run, in throughput, latency and memory. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentMb, startChild } from './host.ts';
import { load, warmUpCalls } from './load.ts';

const reading = (tool: string, target: string) => (n: number) =>
  JSON.stringify({ protocol: 'git', tool, target, capability: 'read', actor: { session: `bench-${n % 64}` } });

const kinds = {
  allow: reading('scm.list_branches', 'acme/web'),
  block: reading('scm.get_file_contents', '../web'),
};

/** @param soak the number of additional calls over which rate and memory are compared. */
export async function benchActions(soak: number): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  const echo = await startChild('bench/echo-server.ts', []);
  const config = join(state, 'gateway.yaml');
  // Scored like any other, except that blocked calls give no points: after thousands of them the kill switch would
  // block the rest. The request limit is raised because the bench sends everything with one key.
  const shipped = (await readFile('config/gateway.yaml', 'utf8')).replace(
    'admin: {',
    'admin: { requests_per_second: 100000,',
  );
  await writeFile(config, `${shipped}\nbehavior: { repeated_escalation: { points: 0 } }\n`);
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports]);
  const figures: Record<string, number> = { 'ready, ms': gateway.readyMs };
  try {
    const keys = JSON.parse(await readFile(String(gateway.ready.keys_file), 'utf8')) as { agent: string };
    const headers = { 'x-api-key': keys.agent };
    const url = `${gateway.ready.admin_url}/admin/v1/test-action`;
    const echoUrl = `http://127.0.0.1:${echo.ready.port}/`;
    const first = await load({ url, headers, body: kinds.allow, requests: 1_000, concurrency: 16 });
    figures['first 1000 calls c=16, req/s'] = first.perSecond;
    for (const each of [{ url, headers }, { url: echoUrl }])
      await load({ ...each, body: kinds.allow, requests: warmUpCalls, concurrency: 16 });
    for (const concurrency of [1, 16]) {
      const requests = concurrency === 1 ? 500 : 2000;
      const bare = await load({ url: echoUrl, body: kinds.allow, requests: requests * 2, concurrency });
      figures[`echo c=${concurrency}, req/s`] = bare.perSecond;
      for (const [kind, body] of Object.entries(kinds)) {
        const ours = await load({ url, headers, body, requests, concurrency });
        if (ours.failed > 0) throw new Error(`${ours.failed} of ${requests} ${kind} calls failed`);
        figures[`${kind} c=${concurrency}, req/s`] = ours.perSecond;
        figures[`${kind} c=${concurrency}, p50 ms`] = ours.p50Ms;
        figures[`${kind} c=${concurrency}, p99 ms`] = ours.p99Ms;
        figures[`${kind} c=${concurrency}, ratio to echo`] = ours.perSecond / bare.perSecond;
      }
    }
    figures['RSS after warm-up, MB'] = residentMb(gateway.process.pid);
    if (soak > 0) {
      const allowed = (requests: number) => load({ url, headers, body: kinds.allow, requests, concurrency: 16 });
      const part = Math.min(10_000, Math.floor(soak / 2));
      const early = await allowed(part);
      await allowed(soak - 2 * part);
      const late = await allowed(part);
      figures[`rate after ${soak} more actions, ratio to before`] = late.perSecond / early.perSecond;
      figures[`RSS after ${soak} more actions, MB`] = residentMb(gateway.process.pid);
    }
  } finally {
    await gateway.stop();
    await echo.stop();
    await rm(state, { recursive: true, force: true });
  }
  return figures;
}
