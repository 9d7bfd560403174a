/** `approvals.denial_lifetime` in seconds: the denial answers for that long, and then a new request may be made. */
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';

test('[approval.denied] a denial holds for its seconds; afterwards, and in another session, a reviewer is asked again', async () => {
  const gateway = await testPorts({ extra: 'approvals: { denial_lifetime: 900 }' });
  const call = caller(gateway.ports);
  const pull = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };
  const act = async (session: string) =>
    (await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...pull, actor: { session } } })).body;
  const { envelope_id: id } = await act('lifetime-1');
  const vote = { key: keys.human, body: { reviewer: 'alice', comment: 'no' } };
  expect((await call('POST', `/admin/v1/approvals/${id}/deny`, vote)).body.status).toBe('denied');
  gateway.pass(899);
  expect(await act('lifetime-1')).toMatchObject({ decision: 'block', matched_rule: `denied:${id}` });
  expect(await act('lifetime-2')).toMatchObject({ decision: 'review' });
  gateway.pass(1);
  expect(await act('lifetime-1')).toMatchObject({ decision: 'review' });
  await gateway.stop();
});
