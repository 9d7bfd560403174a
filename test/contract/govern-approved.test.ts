/** Votes, repair after an interruption, and execution on approval. */
import { settle } from '#core/approvals/steps.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';
import { inSession, pull, useGateway } from '../support/use-gateway.ts';

const gateway = useGateway();
const { act, approve, call, deny } = gateway;

describe('votes', () => {
  test.each([
    ['an agent key', keys.agent, 403, 'forbidden'],
    ['a viewer service key', keys.viewer, 403, 'forbidden'],
    ['the owner of the requesting key', keys.owner, 403, 'separation_of_duties'],
    ['an unknown key', 'nobody', 401, 'authentication_error'],
  ])('[sod.own-request] %s may not vote', async (_, key, status, type) => {
    const { body } = await act(inSession(pull));
    expect(await approve(body.envelope_id, key)).toMatchObject({ status, body: { error: { type } } });
  });

  test('[approval.states] a second vote is 409 with the record', async () => {
    const { body } = await act(inSession(pull));
    await approve(body.envelope_id);
    const second = await deny(body.envelope_id);
    expect(second).toMatchObject({
      status: 409,
      body: { error: { type: 'conflict', record: { status: 'approved', reviewer: 'alice' } } },
    });
  });

  test.each([
    [{}, /reviewer/],
    [{ reviewer: '' }, /reviewer must not be empty/],
    [{ reviewer: 'alice', status: 'approved' }, /status/],
  ])('[approval.record] a vote with %j is refused, and decides nothing', async (given, message) => {
    const { envelope_id } = (await act(inSession(pull))).body;
    const vote = (body: object) =>
      call('POST', `/admin/v1/approvals/${envelope_id}/approve`, { key: keys.human, body });
    const { status, body } = await vote(given);
    expect([status, body.error.type, body.error.message]).toEqual([
      ...[400, 'invalid_request'],
      expect.stringMatching(message),
    ]);
    expect((await vote({ reviewer: 'alice' })).status).toBe(200);
  });

  test("[auth.tenant-isolation] another tenant's request is not found", async () => {
    const far = await act(inSession(pull), 'elsewhere-key');
    expect((await approve(far.body.envelope_id)).status).toBe(404);
  });
});
describe('healing', () => {
  test('[approval.machine] [approval.lease] the sweep denies what expired and ends a lease without outcome as unknown, never running it again', async () => {
    let runs = 0;
    const crashing = await testPorts({
      executors: [
        {
          name: 'crash',
          handles: ({ tool }) => tool.startsWith('scm.create'),
          execute: () => {
            runs++;
            return new Promise(() => {});
          },
        },
      ],
    });
    const ask = caller(crashing.ports);
    const body = inSession(pull, 'crash-1');
    const asked = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body });
    const id = asked.body.envelope_id;
    await ask('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
    void ask('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...body, approval_ref: id } });
    while (runs === 0) await new Promise(setImmediate);

    crashing.pass(121);
    expect(await sweepApprovals(stepPorts(crashing.ports))).toMatchObject({ leases_ended: 1 });
    expect(await crashing.ports.approvals.find(id)).toMatchObject({ status: 'consumed', outcome: 'unknown' });
    const again = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...body, approval_ref: id } });
    expect(again.body.decision).toBe('review');
    expect(runs).toBe(1);
    await crashing.stop();
  });

  test('a decided row releases its waiting clock', async () => {
    const { body } = await act(inSession(pull));
    await gateway.ports.approvals.holdToken(body.envelope_id, 'token-1');
    await approve(body.envelope_id);
    expect(gateway.settled).toContain('token-1');
    const late = await gateway.ports.approvals.holdToken(body.envelope_id, 'token-2');
    expect(late.status).toBe('approved');
  });
});
describe('on_approval: execute', () => {
  test('[approval.on-approval.execute] the clock runs the call once and the identical call collects the result', async () => {
    let runs = 0;
    const executing = await testPorts({
      extra: 'approvals: { on_approval: execute }',
      executors: [
        {
          name: 'git',
          handles: () => true,
          execute: async () => ({ pr_number: ++runs, pr_url: 'https://git.example/1' }),
        },
      ],
    });
    const ask = caller(executing.ports);
    const body = inSession(pull, 'exec-1');
    const asked = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body });
    const id = asked.body.envelope_id;
    await ask('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
    await settle(stepPorts(executing.ports), id);
    await settle(stepPorts(executing.ports), id);
    const collected = await ask('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: { ...body, approval_ref: id },
    });
    expect(collected.body).toMatchObject({
      decision: 'allow',
      matched_rule: `approved:${id}`,
      result: { pr_number: 1 },
    });
    expect(runs).toBe(1);
    await executing.stop();
  });
});
