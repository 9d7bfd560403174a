/** `on_approval: execute`: an approved call is made once, and everything that decides about it is asked again right before. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { calls, faultOf, type Governing, openGateways } from '../../support/governing.ts';
import type { Loose } from '../../support/loose.ts';

const open = openGateways();
let gateway: Governing;
let session = 0;
const fresh = () => `later-${++session}`;
beforeAll(async () => {
  gateway = await open();
});
beforeEach(() => {
  gateway.upstream.seen.length = 0;
  gateway.upstream.behave = async () => ({ pr: 7 });
});

const approved = async (name: string, call: object = calls.pull, over?: Loose): Promise<ApprovalRow> => {
  const { envelope_id } = await gateway.act(name, call, { over });
  await gateway.vote(envelope_id as string, 'approve');
  return gateway.row(envelope_id as string);
};
const run = (row: ApprovalRow, over: Loose = {}, hostEndsAtMs?: number) =>
  executeApproved({ ...gateway.ports, ...over }, row, hostEndsAtMs);

/** The snapshot with another configuration, as it is after someone changed it. */
const changed = async (change: (snapshot: Loose) => Loose) => {
  const snapshot = await gateway.ports.snapshots.current();
  return { snapshots: { ...gateway.ports.snapshots, current: async () => ({ ...snapshot, ...change(snapshot) }) } };
};

test('the call is made once, with its credential, and the identical call collects the result', async () => {
  const name = fresh();
  const row = await approved(name);
  const done = await run(row);
  expect(done).toMatchObject({ status: 'consumed', outcome: 'executed', executed_by: 'gateway', result: { pr: 7 } });
  const entries = await gateway.entries(name);
  const used = entries.find(({ kind }) => kind === 'allow')!;
  expect(used.body).toMatchObject({
    ...{ matched_rule: `approved:${row.envelope_id}`, rule: row.matched_rule, approval_ref: row.envelope_id },
  });
  expect(used.body).not.toHaveProperty('accepts_drift');
  expect(gateway.upstream.seen).toMatchObject([{ envelope: { parameters: calls.pull.parameters } }]);
  await run(row);
  expect(gateway.upstream.seen).toHaveLength(1);
  const answer = await gateway.act(name, { ...calls.pull, approval_ref: row.envelope_id });
  expect(answer).toMatchObject({
    ...{ decision: 'allow', matched_rule: `approved:${row.envelope_id}`, result: { pr: 7 } },
    evidence_hash: done.evidence_hash,
  });
  expect(answer).not.toHaveProperty('error');
});

test('a call that failed is collected as failed', async () => {
  const name = fresh();
  const row = await approved(name);
  gateway.upstream.behave = () => Promise.reject(new Error('boom'));
  await run(row);
  expect(await gateway.act(name, calls.pull)).toMatchObject({
    ...{ decision: 'allow' },
    error: {
      message: 'scm.create_pull_request was approved; its execution ended as failed.',
      data: { tool: 'scm.create_pull_request', outcome: 'failed' },
    },
  });
});

describe('nothing is called', () => {
  test('for a row that its caller carries out, that is not approved, or that holds withheld values', async () => {
    const row = await approved(fresh());
    for (const other of [
      { ...row, caller_executes: true as const },
      { ...row, status: 'pending' as const },
      { ...row, withheld: ['$.parameters.password'] },
    ])
      expect(await run(other)).toBe(other);
    expect(gateway.upstream.seen).toEqual([]);
  });

  test('with too little time left; the approval stands', async () => {
    const row = await approved(fresh());
    const fault = await faultOf(run(row, {}, gateway.ports.clock.now() + 5_000));
    expect(fault.code).toBe('service_unavailable');
    expect(await gateway.row(row.envelope_id)).toMatchObject({ status: 'approved' });
    expect(gateway.upstream.seen).toEqual([]);
  });

  test('where the broker may not mint for the call: trying again does not help, and the approval stands', async () => {
    const row = await approved(fresh());
    const brokers = async () => ({ issue: () => Promise.reject(new GatewayError('forbidden', 'Not for you.')) });
    expect(await run(row, { brokers })).toMatchObject({ status: 'approved' });
  });

  const refusals: readonly [string, string, string, () => Promise<Loose>][] = [
    [
      'session_blocked',
      'behavior:exfiltration',
      'is blocked',
      async () => ({ keyRisks: { of: async () => ({ score: 90, rule: 'exfiltration' }), update: async () => {} } }),
    ],
    [
      'key_revoked',
      'approval:key_revoked',
      'was revoked since',
      () => changed(({ identities }) => ({ identities: { ...identities, byKeyId: new Map() } })),
    ],
    [
      'tenant_removed',
      'approval:tenant_removed',
      'no longer in the configuration',
      () => changed(({ configuration }) => ({ configuration: { ...configuration, tenants: [] } })),
    ],
    [
      'upstream_changed',
      'approval:upstream_changed',
      'It was approved for no server; scm.create_pull_request is pull at forge now.',
      async () => ({
        executors: () => [
          { ...gateway.upstream.executor, place: async () => ({ upstream: 'forge', upstream_tool: 'pull' }) },
        ],
      }),
    ],
    [
      'upstream_changed',
      'approval:upstream_changed',
      'nowhere',
      async () => ({
        executors: () => [
          {
            ...gateway.upstream.executor,
            place: () => Promise.reject(new GatewayError('no_upstream', 'It is nowhere.')),
          },
        ],
      }),
    ],
  ];

  test.each(refusals)('[approval.execute-asks-again] %s: the entry says why', async (because, rule, reason, over) => {
    const name = fresh();
    const row = await approved(name);
    expect(await run(row, await over())).toMatchObject({
      ...{ status: 'consumed', outcome: 'not_executed', refused_because: because },
    });
    const last = (await gateway.entries(name)).at(-1)!;
    expect(last).toMatchObject({
      kind: 'block',
      body: {
        ...{ approval_ref: row.envelope_id, rule: row.matched_rule, refused_because: because, matched_rule: rule },
        reason: expect.stringContaining(reason),
      },
    });
    expect(last.body).not.toHaveProperty('behavior');
    expect(gateway.upstream.seen).toEqual([]);
    expect(gateway.lines.join('\n')).toContain('an approved call was not made');
  });

  test('where the server cannot be found out; the approval stands for the next try', async () => {
    const row = await approved(fresh());
    const place = () => Promise.reject(new Error('no list'));
    await faultOf(run(row, { executors: () => [{ ...gateway.upstream.executor, place }] }));
    expect(await gateway.row(row.envelope_id)).toMatchObject({ status: 'approved' });
  });
});

describe('[approval.execute-asks-again] the policy of that moment', () => {
  test.each([
    ['block', 'policy_block', 'no more'],
    ['allow', 'policy_changed', 'rule git:scm.create_pull_request allows it now.'],
    ['review', undefined, undefined],
  ])('%s', async (decision, because, reason) => {
    const name = fresh();
    const row = await approved(name);
    const now = await open({
      toolPolicies: `{ pack: null, rules: [{ protocol: git, tool: scm.create_pull_request, decision: ${decision}, reason: no more }] }`,
    });
    const { policy, policyDocument } = await now.ports.snapshots.current();
    const done = await run(row, await changed(() => ({ policy, policyDocument })));
    expect(done.refused_because).toBe(because);
    const last = (await gateway.entries(name)).at(-1)!;
    if (reason) expect(last.body.reason).toContain(reason);
    else expect(done).toMatchObject({ outcome: 'executed' });
  });

  test('under another rule is another question', async () => {
    const row = { ...(await approved(fresh())), matched_rule: 'git:*' };
    await run(row);
    expect(await gateway.row(row.envelope_id)).toMatchObject({ refused_because: 'policy_changed' });
  });
});

describe('a call that was approved for one server', () => {
  const at = (definition?: string, upstream = 'forge') => ({
    executors: () => [
      {
        ...gateway.upstream.executor,
        place: async () => ({ upstream, upstream_tool: 'pull', ...(definition && { definition }) }),
      },
    ],
  });

  test('goes there', async () => {
    const row = await approved(fresh(), calls.pull, at('a'));
    expect(row).toMatchObject({ upstream: 'forge', upstream_tool: 'pull', definition: 'a' });
    expect(await run(row, at('a'))).toMatchObject({ outcome: 'executed' });
    expect(gateway.upstream.seen[0]!.envelope).toMatchObject({ upstream: 'forge', upstream_tool: 'pull' });
  });

  test('is not made where the definition of its tool has changed, or another server has it', async () => {
    const name = fresh();
    const row = await approved(name, calls.pull, at('a'));
    expect(await run(row, at('b'))).toMatchObject({ refused_because: 'upstream_changed' });
    expect((await gateway.entries(name)).at(-1)!.body.reason).toContain('The definition of scm.create_pull_request at');
    const other = await approved(fresh(), calls.pull, at('a'));
    expect(await run(other, at('a', 'elsewhere'))).toMatchObject({ refused_because: 'upstream_changed' });
  });

  test('waits for its caller in a function that reaches no such server', async () => {
    const row = await approved(fresh(), calls.pull, at('a'));
    expect(await run(row)).toBe(row);
    expect(await gateway.row(row.envelope_id)).toMatchObject({ status: 'approved' });
  });
});

test('[approval.evidence-decides] a row that claims a vote which no entry holds is refused', async () => {
  const name = fresh();
  const { envelope_id } = await gateway.act(name, calls.pull);
  const forged = { ...(await gateway.row(envelope_id as string)), status: 'approved' as const };
  await run(forged);
  expect(gateway.upstream.seen).toEqual([]);
  expect((await gateway.entries(name)).map(({ kind }) => kind)).not.toContain('allow');
});
