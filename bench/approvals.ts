/**
 * Many approvals pending at the same time. Two people vote on each one concurrently, and then two callers use it
 * concurrently. Measures how fast that is, and fails unless each call ran exactly once.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentMb, startChild } from './host.ts';

const configuration = (port: unknown) => `
version: 1
admin: { requests_per_second: 100000 }
people: [{ id: alice, role: operator }, { id: bob, role: operator }]
tenants:
  - id: default
    api_keys:
      - { key: bench-agent, kind: agent, name: agent }
      - { key: bench-alice, kind: human, person: alice, name: alice }
      - { key: bench-bob, kind: human, person: bob, name: bob }
tool_policies: { pack: null, default_decision: review }
approvals: { timeout_seconds: 3600, max_pending_per_key: 10000, max_pending_per_tenant: 10000 }
upstreams: { http: [{ name: jobs, base_url: "http://127.0.0.1:${port}", allowed_paths: ["/**"], allowed_methods: [POST], allow_private: true }] }
behavior: { enabled: false }
`;

const concurrency = 32;

/** @param count the number of approvals that are pending at the same time. */
export async function benchApprovals(count: number): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const jobs = await startChild('bench/counting-server.ts', []);
  const config = join(state, 'gateway.yaml');
  await writeFile(config, configuration(jobs.ready.port));
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports]);
  const figures: Record<string, number> = {};
  try {
    const admin = `${gateway.ready.admin_url}/admin/v1`;
    const act = (n: number, more: object = {}) =>
      post(`${admin}/test-action`, 'bench-agent', { ...actionOf(n), ...more });
    const voted = (id: string, by: string) =>
      post(`${admin}/approvals/${id}/approve`, `bench-${by}`, { reviewer: by, comment: 'stress' });

    const ids = await measureRate('asked for', count, figures, async (n) => String((await act(n)).body.envelope_id));
    const votes = await measureRate('voted on twice', count, figures, async (n) => {
      const [one, other] = await Promise.all([voted(ids[n]!, 'alice'), voted(ids[n]!, 'bob')]);
      return [one.status, other.status].sort().join();
    });
    expectAll('votes', votes, '200,409');
    const uses = await measureRate('used twice', count, figures, async (n) => {
      const both = await Promise.all([act(n, { approval_ref: ids[n] }), act(n, { approval_ref: ids[n] })]);
      return both
        .map(({ body }) => body.decision)
        .sort()
        .join();
    });
    expectAll('uses', uses, 'allow,review');

    const { paths, most } = (await (await fetch(`http://127.0.0.1:${jobs.ready.port}/counts`)).json()) as Counts;
    if (paths !== count || most !== 1)
      throw new Error(`${paths} of ${count} calls ran, and one call ran ${most} times; each must run exactly once`);
    figures['calls that ran twice, or not at all'] = count - paths;
    figures['RSS after it, MB'] = residentMb(gateway.process.pid);
  } finally {
    await gateway.stop();
    await jobs.stop();
    await rm(state, { recursive: true, force: true });
  }
  return figures;
}

interface Counts {
  readonly paths: number;
  readonly most: number;
}

const actionOf = (n: number) => ({
  protocol: 'http',
  tool: 'jobs.post',
  target: `/jobs/${n}`,
  capability: 'write',
  actor: { agent: 'bench', session: `bench-${n % 256}` },
});

async function measureRate<T>(
  what: string,
  count: number,
  figures: Record<string, number>,
  work: (n: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  figures[`${what}, a second`] = count / ((performance.now() - from) / 1000);
  return results;
}

async function post(url: string, key: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
}

function expectAll(what: string, found: readonly string[], wanted: string): void {
  const odd = found.find((one) => one !== wanted);
  if (odd !== undefined) throw new Error(`${what} were ${odd}; each pair is ${wanted}`);
}
