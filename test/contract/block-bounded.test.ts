import { evidenceOf } from '../support/evidence-of.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { useStarted } from '../support/use-started.ts';

const gateway = useStarted(() => keptGateway(), 'test');

const { call } = gateway;
const act = (tool: string, parameters: object) =>
  call('POST', '/admin/v1/test-action', keys.agent, {
    ...{ protocol: 'git', tool, target: 'acme/web', capability: tool.includes('delete') ? 'write' : 'read' },
    ...{ parameters, actor: { session: 's' } },
  });
const decisionsOf = async () => (await evidenceOf(gateway.ports(), 's')).filter(({ kind }) => kind !== 'result');

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
