/** Entries of calls with long parameters: complete if the call may run, shortened if it is blocked. */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';

let gateway: KeptGateway;
beforeEach(async () => {
  gateway = await keptGateway();
});
afterEach(() => gateway.stop());

const call = (method: string, path: string, key: string, body?: unknown) =>
  caller(gateway.ports())(method, path, { key, ...(body !== undefined && { body }) });
const act = (tool: string, parameters: object) =>
  call('POST', '/admin/v1/test-action', keys.agent, {
    ...{ protocol: 'git', tool, target: 'acme/web', capability: tool.includes('delete') ? 'write' : 'read' },
    ...{ parameters, actor: { session: 's' } },
  });
async function decisionsOf(): Promise<EvidenceEntry[]> {
  const found: EvidenceEntry[] = [];
  for await (const entry of gateway.ports().evidence.entries('default', 's'))
    if (['allow', 'block', 'review'].includes(entry.kind)) found.push(entry);
  return found;
}

test('[evidence.block-bounded] a blocked call leaves a digest and the first kilobyte of long parameters', async () => {
  const long = { path: 'README.md', text: 'é'.repeat(60_000) };
  await act('scm.delete_repo', long);
  const [entry] = await decisionsOf();
  expect(entry?.kind).toBe('block');
  expect(JSON.stringify(entry).length).toBeLessThan(4_000);
  const { parameters, parameters_head, parameters_sha256, call_digest, withheld } = entry!.body;
  expect(parameters).toBeUndefined();
  expect(parameters_head).toMatch(/^\{"path":"README\.md","text":"é+$/);
  expect(parameters_head).toHaveLength(1_024);
  for (const digest of [parameters_sha256, call_digest]) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(withheld).toEqual(['$.parameters']);

  expect((await call('GET', '/admin/v1/evidence/sessions/s/verify', keys.human)).body).toMatchObject({ valid: true });
  const why = await call('GET', `/admin/v1/actions/${entry!.envelope_id}/why`, keys.human);
  expect(why.status).toBe(200);
  expect(why.body).toMatchObject({ decision: 'block', not_replayed: ['$.parameters'] });
  const report = await call('GET', '/admin/v1/evidence/sessions/s/report', keys.human);
  expect([report.status, String(report.body).includes('README.md')]).toEqual([200, true]);
});

test('[evidence.block-bounded] short parameters of a blocked call, and long ones of an allowed call, are kept whole', async () => {
  const short = { path: 'README.md', text: 'x'.repeat(3_000) };
  await act('scm.delete_repo', short);
  const long = { path: 'docs/'.repeat(2_000) };
  await act('scm.get_file_contents', long);
  const [block, allow] = await decisionsOf();
  expect([block?.kind, block?.body.parameters, block?.body.withheld]).toEqual(['block', short, undefined]);
  expect([allow?.kind, allow?.body.parameters]).toEqual(['allow', long]);
});
