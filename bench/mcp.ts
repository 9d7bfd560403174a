/**
 * The added latency and the rate of an allowed MCP call through the gateway, compared with the same call sent directly
 * to its server in the same run.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './host.ts';
import { type LoadResult, load, warmUpCalls } from './load.ts';

const configuration = (port: unknown) => `
version: 1
tenants: [{ id: default, api_keys: [{ key: bench-key, kind: agent, name: bench }] }]
tool_policies: { pack: readonly, rules: [{ protocol: mcp, tool: read_note, decision: allow }] }
upstreams: { mcp: [{ name: notes, url: "http://127.0.0.1:${port}/mcp" }] }
`;

const rpc = (method: string, params: object) => (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
const call = rpc('tools/call', { name: 'read_note', arguments: { title: 'minutes' } });
const clientInfo = { name: 'bench', version: '1' };
const hello = rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

export async function benchMcp(): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const config = join(state, 'gateway.yaml');
  const upstream = await startChild('bench/mcp-server.ts', []);
  await writeFile(config, configuration(upstream.ready.port));
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports]);
  const figures: Record<string, number> = {};
  try {
    const direct = { url: `http://127.0.0.1:${upstream.ready.port}/mcp`, headers: accept };
    const url = `${gateway.ready.mcp_url}/mcp`;
    const key = { ...accept, 'x-api-key': 'bench-key' };
    const opened = await fetch(url, { method: 'POST', headers: key, body: hello(0) });
    const session = opened.headers.get('mcp-session-id') ?? '';
    await opened.body?.cancel();
    const ours = { url, headers: { ...key, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' } };
    await measureLoad('governed, first calls,', { ...ours, body: call, requests: 500, concurrency: 1 }, figures);
    for (const each of [direct, ours]) await load({ ...each, body: call, requests: warmUpCalls, concurrency: 16 });
    for (const concurrency of [1, 16]) {
      const requests = concurrency === 1 ? 500 : 2000;
      const bare = await measureLoad('direct', { ...direct, body: call, requests, concurrency }, figures);
      const governed = await measureLoad('governed', { ...ours, body: call, requests, concurrency }, figures);
      figures[`c=${concurrency}, added p50 ms`] = governed.p50Ms - bare.p50Ms;
      figures[`c=${concurrency}, added p99 ms`] = governed.p99Ms - bare.p99Ms;
      figures[`c=${concurrency}, ratio of rates`] = governed.perSecond / bare.perSecond;
    }
  } finally {
    await gateway.stop();
    await upstream.stop();
    await rm(state, { recursive: true, force: true });
  }
  return figures;
}

async function measureLoad(name: string, given: Parameters<typeof load>[0], figures: Record<string, number>) {
  const result: LoadResult = await load(given);
  if (result.failed > 0) throw new Error(`${result.failed} of ${given.requests} ${name} calls failed`);
  figures[`${name} c=${given.concurrency}, req/s`] = result.perSecond;
  figures[`${name} c=${given.concurrency}, p50 ms`] = result.p50Ms;
  return result;
}
