/** Many requests for approval and many trial calls of one key, through the handlers. */

import { replayRisk } from '#core/session/risk/replay.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({
  extra: `
approvals: { max_pending_per_key: 3, max_pending_per_tenant: 4 }
behavior: { repeated_escalation: { probes: 5 } }`,
});
const { call, entriesOf } = gateway;

const act = (n: number, session: string, { key = keys.agent, ...more }: { key?: string; dry_run?: boolean } = {}) =>
  gateway.act(
    {
      ...{ protocol: 'git', tool: 'scm.create_pull_request', target: `acme/web-${n}`, capability: 'write' },
      ...{ parameters: { title: `Fix ${n}` }, actor: { session }, ...more },
    },
    key,
  );

test('[approval.pending-cap] a fourth request is 429, notifies no reviewer, and is recorded once a minute', async () => {
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push((await act(n, 'flood')).body.envelope_id);
  const started = gateway.started.length;
  for (let n = 3; n < 8; n++) {
    const refused = await act(n, 'flood');
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    expect(refused.body.error).toMatchObject({
      type: 'rate_limit_error',
      message: expect.stringMatching(/wait for a person/),
    });
  }
  expect(gateway.started).toHaveLength(started);
  const entries = await entriesOf('flood');
  expect(entries.map(({ kind }) => kind)).toEqual(['review', 'review', 'review', 'block']);
  expect(entries.at(-1)!.body).toMatchObject({ matched_rule: 'limit:pending_approvals' });

  // What waits already is answered as before; other keys have room of their own, up to that of the tenant.
  expect((await act(1, 'flood')).body).toMatchObject({ decision: 'review', envelope_id: ids[1] });
  expect((await act(10, 'others', { key: keys.other })).body.decision).toBe('review');
  expect((await act(11, 'others', { key: keys.other })).status).toBe(429);

  const vote = { reviewer: 'alice' };
  await call('POST', `/admin/v1/approvals/${ids[0]}/deny`, { key: keys.human, body: vote });
  gateway.pass(1);
  expect((await act(12, 'flood')).body.decision).toBe('review');
});

test('[behavior.rules] trial calls leave no entry; the next call reports them, and replay agrees', async () => {
  const key = keys.other;
  for (let n = 0; n < 4; n++) await act(n, 'trials', { key, dry_run: true });
  const block = { protocol: 'shell', tool: 'shell.exec', target: 'rm -rf /', capability: 'execute' };
  const simulated = await call('POST', '/admin/v1/simulate', { key, body: { calls: [block, block] } });
  expect(simulated.body.results).toHaveLength(2);
  expect(await entriesOf('trials')).toEqual([]);

  const read = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
  const allowed = () => gateway.act({ ...read, actor: { session: 'trials' } }, key);
  expect((await allowed()).body.decision).toBe('allow');
  await allowed();
  const [first, second] = (await entriesOf('trials')).filter(({ kind }) => kind === 'allow');
  expect(first!.body.behavior).toMatchObject({
    signals: expect.arrayContaining([expect.objectContaining({ s: 'probed', n: 1 })]),
  });
  expect(JSON.stringify(second!.body.behavior)).not.toContain('probed');
  const head = await gateway.ports.evidence.head('default', 'trials');
  expect(head?.risk).toMatchObject({ score: 10, rule: 'repeated_escalation' });
  expect((await replayRisk(gateway.ports.evidence.entries('default', 'trials'))).record).toEqual(head?.risk);
});
