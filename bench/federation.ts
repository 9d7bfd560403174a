/**
 * The load that data planes put on their control plane: 500 planes poll for their configuration, get a 304 response,
 * and send reports.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '#core/kernel/canonical.ts';
import { cpuMs, startChild } from './host.ts';

const planes = 500;
/** The default value of `federation.poll_seconds`. */
const pollSeconds = 10;
const rounds = 10;
const concurrency = 16;

const planeName = (nth: number): string => `plane-${nth}`;
const tokenOf = (nth: number): string => `bench-token-of-the-plane-${nth}`;
const listed = Array.from({ length: planes }, (_plane, nth) =>
  JSON.stringify({ name: planeName(nth), tokens: [{ token_sha256: sha256(tokenOf(nth)) }] }),
);
const configuration = `
version: 1
tenants: [{ id: default, api_keys: [{ key: bench-key, kind: agent, name: bench }] }]
tool_policies: { pack: pr-writer }
federation: { role: control, planes: [${listed.join(', ')}] }
`;

export async function benchFederation(): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const config = join(state, 'gateway.yaml');
  await writeFile(config, configuration);
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--no-edge'];
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports]);
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  try {
    const { pid } = gateway.process;
    const url = `${gateway.ready.admin_url}/admin/v1/federation`;
    const etags: string[] = [];
    const ask = (nth: number): Promise<PollAnswer> => {
      const etag = etags[nth];
      const headers = { authorization: `Bearer ${tokenOf(nth)}`, ...(etag !== undefined && { 'if-none-match': etag }) };
      return send(`${url}/config`, { agent, headers });
    };
    const report = (nth: number): Promise<PollAnswer> => {
      const headers = { authorization: `Bearer ${tokenOf(nth)}`, 'content-type': 'application/json' };
      return send(`${url}/status`, { agent, headers, method: 'POST' }, JSON.stringify(statusOf(nth)));
    };
    const first = await cpuPerRequest(pid, 1, async (nth) => {
      const { status, etag } = await ask(nth);
      if (status !== 200 || etag === undefined)
        throw new Error(`the request for the first document returned ${status}`);
      etags[nth] = etag;
    });
    const same = await cpuPerRequest(pid, rounds, async (nth) => {
      const { status, etag } = await ask(nth);
      if (status === 304) return;
      // A document is reissued every ten minutes, which may happen during the run.
      if (status !== 200) throw new Error(`a plane's request returned ${status}`);
      etags[nth] = etag!;
    });
    const status = await cpuPerRequest(pid, 2, async (nth) => {
      const answer = await report(nth);
      if (answer.status !== 200) throw new Error(`a report returned ${answer.status}`);
    });
    return {
      'first document, CPU ms a plane': first,
      '304, CPU ms a request': same,
      '500 planes that get 304, % of one core': (same * planes * 100) / (pollSeconds * 1_000),
      'report of status, CPU ms': status,
    };
  } finally {
    agent.destroy();
    await gateway.stop();
    await rm(state, { recursive: true, force: true });
  }
}

/** Returns the gateway's CPU time per request. */
async function cpuPerRequest(
  pid: number | undefined,
  times: number,
  work: (nth: number) => Promise<void>,
): Promise<number> {
  const before = cpuMs(pid);
  let next = 0;
  const worker = async () => {
    while (next < times * planes) await work(next++ % planes);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (cpuMs(pid) - before) / (times * planes);
}

const statusOf = (nth: number) => ({
  plane: planeName(nth),
  version: 1,
  healthy: true,
  requests: 100,
  error_rate: 0.01,
  pending_approvals: 0,
  evidence_heads: [
    { tenant: 'default', session_id: `work-${nth}`, total_entries: 1, last_hash: sha256(planeName(nth)) },
  ],
});

interface PollAnswer {
  readonly status: number;
  readonly etag: string | undefined;
}

const send = (url: string, options: Parameters<typeof request>[1], body?: string): Promise<PollAnswer> =>
  new Promise((resolve, reject) => {
    const call = request(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      response.resume().once('end', () => resolve({ status, etag: headers.etag }));
    });
    call.once('error', reject).end(body);
  });
