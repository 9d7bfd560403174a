/** What becomes of a call that a rule holds for review: its request, the approval that fits it, and the wait in place. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { calls, faultOf, type Governing, openGateways } from '../../support/governing.ts';
import { keys } from '../../support/ports.ts';

const open = openGateways();
let gateway: Governing;
let session = 0;
const fresh = () => `review-${++session}`;
beforeAll(async () => {
  gateway = await open();
});
beforeEach(() => {
  gateway.upstream.seen.length = 0;
  gateway.upstream.behave = async () => ({ pr: 7 });
});

const held = async (name: string, call: object = calls.pull) => (await gateway.act(name, call)).envelope_id as string;

describe('a request for approval', () => {
  test('is a row, an entry and a started clock, and the identical call attaches to it', async () => {
    const name = fresh();
    const answer = await gateway.act(name, calls.pull);
    expect(answer).toMatchObject({
      decision: 'review',
      error: {
        message: "scm.create_pull_request needs a human's approval.",
        data: {
          approval_url: expect.stringContaining(answer.envelope_id),
          queued_at: isoTime(gateway.ports.clock.now()),
        },
      },
    });
    expect(answer.error.data).not.toHaveProperty('reason');
    const row = await gateway.row(answer.envelope_id);
    const now = gateway.ports.clock.now();
    expect(row).toMatchObject({
      ...{ status: 'pending', key_owner: 'bob', key_name: 'writer', key_kind: 'agent', vote_count: 0 },
      credential: { broker: 'scm', scope: 'pull_requests:write,contents:read', ttl_seconds: 600 },
      risk: { session: 0, kill_switch: 80 },
      expires_at: isoTime(now + 1_800_000),
      matched_rule: 'git:scm.create_pull_request',
    });
    expect(row).not.toHaveProperty('caller_executes');
    expect(row).not.toHaveProperty('requires');
    expect(row).not.toHaveProperty('require_passkey');
    expect(gateway.started).toContain(answer.envelope_id);
    const again = await gateway.act(name, calls.pull);
    expect(again).toMatchObject({ decision: 'review', envelope_id: answer.envelope_id });
    expect(await gateway.kinds(name)).toEqual(['review']);
    expect((await gateway.entries(name))[0]!.hash).toBe(answer.evidence_hash);
  });

  test('that expired is replaced by a new one, which says why', async () => {
    const name = fresh();
    const id = await held(name);
    gateway.pass(3_601);
    const answer = await gateway.act(name, calls.pull);
    expect(answer.envelope_id).not.toBe(id);
    expect(answer.error.data.reason).toBe('expired');
    expect((await gateway.entries(name))[1]!.body.approval_reason).toBe('expired');
  });

  test('whose clock does not start stays, and the failure is logged', async () => {
    const approvalClock = { ...gateway.ports.approvalClock, start: () => Promise.reject(new Error('no clock')) };
    const answer = await gateway.act(fresh(), calls.pull, { over: { approvalClock } });
    expect(answer.decision).toBe('review');
    expect(gateway.lines.join('\n')).toContain('no clock');
  });

  test('[approval.pending-cap] beyond the limit is refused; the first refusal of a minute is evidence', async () => {
    const name = fresh();
    const pendingLimit = { take: () => Promise.reject(new GatewayError('rate_limit_error', 'Too many wait.')) };
    const before = gateway.counted('svc_approvals_refused_total');
    for (const _ of [1, 2])
      expect(await faultOf(gateway.act(name, calls.pull, { over: { pendingLimit } }))).toMatchObject({
        code: 'rate_limit_error',
      });
    const entries = await gateway.entries(name);
    expect(entries).toMatchObject([
      { kind: 'block', body: { matched_rule: 'limit:pending_approvals', reason: 'Too many wait.' } },
    ]);
    expect(gateway.counted('svc_approvals_refused_total')).toBe(before + 2);
    const broken = { take: () => Promise.reject(new GatewayError('service_unavailable', 'no store')) };
    expect(await faultOf(gateway.act(name, calls.pull, { over: { pendingLimit: broken } }))).toMatchObject({
      code: 'service_unavailable',
    });
    expect(gateway.counted('svc_approvals_refused_total')).toBe(before + 2);
  });

  test('of a call that two send at once is one: the second attaches to the first', async () => {
    const name = fresh();
    const [a, b] = await Promise.all([gateway.act(name, calls.pull), gateway.act(name, calls.pull)]);
    expect(a!.envelope_id).toBe(b!.envelope_id);
    expect(await gateway.kinds(name)).toEqual(['review']);
    expect([a, b].filter((each) => 'reason' in each!.error.data)).toEqual([]);
  });

  test('that another request replaced meanwhile, and that is over, is replaced in its turn', async () => {
    const name = fresh();
    const id = await held(name);
    gateway.pass(1_801);
    // The pointer of the call is read too late: the row it names is over.
    const approvals = { ...gateway.ports.approvals, byCall: async () => undefined };
    const over = { approvals: Object.setPrototypeOf(approvals, gateway.ports.approvals) };
    const answer = await gateway.act(name, calls.pull, { over });
    expect(answer.decision).toBe('review');
    expect(answer.envelope_id).not.toBe(id);
    expect(answer.error.data).not.toHaveProperty('reason');
  });
});

describe('an approval', () => {
  test('is used once by exactly this call, with its rule in the entry and its outcome in the row', async () => {
    const name = fresh();
    const id = await held(name);
    await gateway.vote(id, 'approve');
    const answer = await gateway.act(name, { ...calls.pull, approval_ref: id });
    expect(answer).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}`, result: { pr: 7 } });
    const entries = await gateway.entries(name);
    expect(entries.map(({ kind }) => kind)).toEqual([
      'review',
      'approve',
      'allow',
      'credential',
      'credential',
      'result',
    ]);
    expect(entries[2]!.body).toMatchObject({ approval_ref: id, rule: 'git:scm.create_pull_request' });
    expect(entries[2]!.body).not.toHaveProperty('accepts_drift');
    expect(entries.at(-1)!.body).toMatchObject({ approval_ref: id, outcome: 'executed' });
    expect(await gateway.row(id)).toMatchObject({
      ...{ status: 'consumed', outcome: 'executed', executed_by: 'caller', lease_owner: answer.envelope_id },
    });
    expect(gateway.upstream.seen[0]!.credential?.record).toMatchObject({
      envelope_id: answer.envelope_id,
      session_id: name,
    });
    const again = await gateway.act(name, { ...calls.pull, approval_ref: id });
    expect(again).toMatchObject({ decision: 'review', error: { data: { reason: 'already_used' } } });
    expect((await gateway.entries(name)).at(-1)!.body.approval_reason).toBe('already_used');
  });

  test.each([
    ['other_key', { key: keys.other }],
    ['other_session', {}],
    ['call_changed', { change: { parameters: { ...calls.pull.parameters, title: 'Other' } } }],
  ])('of another call does not fit: %s', async (reason, { key, change }: { key?: string; change?: object }) => {
    const name = fresh();
    const id = await held(name);
    await gateway.vote(id, 'approve');
    const where = reason === 'call_changed' ? name : fresh();
    const answer = await gateway.act(where, { ...calls.pull, ...change, approval_ref: id }, key ? { key } : {});
    expect(answer).toMatchObject({ decision: 'review', error: { data: { reason } } });
    expect(answer.envelope_id).not.toBe(id);
    const last = (await gateway.entries(where)).at(-1)!;
    // Only an agent that comes with the approval of another key is noted for it.
    expect(JSON.stringify(last.body.behavior ?? {}).includes('of another key')).toBe(reason === 'other_key');
    expect(await gateway.row(id)).toMatchObject({ status: 'approved' });
  });

  test('that does not exist says so', async () => {
    const answer = await gateway.act(fresh(), { ...calls.pull, approval_ref: '00000000-0000-4000-8000-000000000000' });
    expect(answer.error.data.reason).toBe('unknown_approval');
  });

  test('[approval.evidence-decides] of a row that claims a vote which no entry holds lets nothing pass', async () => {
    const name = fresh();
    const id = await held(name);
    const claimed = {
      ...(await gateway.row(id)),
      ...{ status: 'approved' as const, use_expires_at: isoTime(gateway.ports.clock.now() + 60_000) },
    };
    const approvals = Object.setPrototypeOf({ get: async () => claimed }, gateway.ports.approvals);
    const answer = await gateway.act(name, { ...calls.pull, approval_ref: id }, { over: { approvals } });
    expect(answer.decision).toBe('review');
    expect(answer.error.data.reason).toBe('not_in_evidence');
    expect(gateway.upstream.seen).toEqual([]);
  });

  test('that two calls take at once is used by one of them', async () => {
    const name = fresh();
    const id = await held(name);
    await gateway.vote(id, 'approve');
    const both = await Promise.all([1, 2].map(() => gateway.act(name, { ...calls.pull, approval_ref: id })));
    expect(both.map(({ decision }) => decision).sort()).toEqual(['allow', 'review']);
    expect(gateway.upstream.seen).toHaveLength(1);
  });
});

describe('a denial', () => {
  test('[approval.denied] answers the identical call for the rest of the session', async () => {
    const name = fresh();
    const id = await held(name);
    await gateway.vote(id, 'deny', 'not on\u001b Friday');
    const answer = await gateway.act(name, calls.pull);
    expect(answer).toMatchObject({
      ...{ decision: 'block', matched_rule: `denied:${id}`, envelope_id: id },
      error: {
        code: -32001,
        message: expect.stringContaining('scm.create_pull_request was denied by alice: not on'),
        data: {
          reason: 'denied',
          reviewer: 'alice',
          denied_at: expect.any(String),
        },
      },
    });
    expect(answer.error.message).not.toContain('\u001b');
    expect(answer.error.data.suggested_alternative).toContain('holds for the rest of this session');
    const other = '00000000-0000-4000-8000-000000000000';
    expect(await gateway.act(name, { ...calls.pull, approval_ref: other })).toMatchObject({ decision: 'block' });
    gateway.pass(7 * 86_400);
    expect(await gateway.act(name, calls.pull)).toMatchObject({ decision: 'block', matched_rule: `denied:${id}` });
    expect(await gateway.kinds(name)).toEqual(['review', 'deny']);
    expect(await gateway.act(fresh(), calls.pull)).toMatchObject({ decision: 'review' });
  });
});

describe('a call that waits in place', () => {
  const waitFor = (holdSeconds: number, onWait?: (ms: number) => void, signal?: AbortSignal) => ({
    wait: { holdSeconds, ...(onWait && { onWait }), ...(signal && { signal }) },
  });

  test('is carried out when it is approved meanwhile, under an id of its own', async () => {
    const name = fresh();
    const waits: number[] = [];
    let id = '';
    const pause = async () => {
      gateway.pass(0.25);
      if (waits.length < 3) return;
      id = (await gateway.entries(name))[0]!.envelope_id;
      await gateway.vote(id, 'approve');
    };
    const answer = await gateway.act(name, calls.pull, { how: waitFor(60, (ms) => waits.push(ms)), over: { pause } });
    expect(answer).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}`, result: { pr: 7 } });
    expect(waits).toEqual([0, 250, 500]);
    expect(answer.envelope_id).not.toBe(id);
  });

  test('is answered the denial', async () => {
    const name = fresh();
    const pause = async () => void (await gateway.vote((await gateway.entries(name))[0]!.envelope_id, 'deny'));
    const answer = await gateway.act(name, calls.pull, { how: waitFor(60), over: { pause } });
    expect(answer).toMatchObject({ decision: 'block', error: { data: { reason: 'denied' } } });
  });

  test('is answered that it is in review when its time is over', async () => {
    const name = fresh();
    let looks = 0;
    const pause = async (ms: number) => {
      looks++;
      expect(ms).toBe(250);
      gateway.pass(ms / 1000);
    };
    expect(await gateway.act(name, calls.pull, { how: waitFor(2), over: { pause } })).toMatchObject({
      decision: 'review',
    });
    expect(looks).toBe(8);
    const hostEndsAtMs = gateway.ports.clock.now() + 5_000 + 1_000;
    await gateway.act(name, { ...calls.pull, hostEndsAtMs }, { how: waitFor(60), over: { pause } });
    expect(looks).toBe(12);
    expect(await gateway.act(name, calls.pull, { how: waitFor(0), over: { pause } })).toMatchObject({
      decision: 'review',
    });
    expect(looks).toBe(12);
  });

  test('ends with the reason of its signal', async () => {
    const left = new AbortController();
    const pause = async () => left.abort(new Error('the caller left'));
    const how = waitFor(60, undefined, left.signal);
    expect((await faultOf(gateway.act(fresh(), calls.pull, { how, over: { pause } }))).message).toBe('the caller left');
  });

  test('whose approval another call used is answered that it was used', async () => {
    const name = fresh();
    const pause = async () => {
      const id = (await gateway.entries(name))[0]!.envelope_id;
      if ((await gateway.row(id)).status !== 'pending') return;
      await gateway.vote(id, 'approve');
      await gateway.act(name, { ...calls.pull, approval_ref: id });
    };
    const answer = await gateway.act(name, calls.pull, { how: waitFor(60), over: { pause } });
    expect(answer).toMatchObject({ decision: 'review', error: { data: { reason: 'already_used' } } });
    expect(gateway.upstream.seen).toHaveLength(1);
  });

  test('[approval.execute-collected] whose approval the gateway took a moment before collects what comes out', async () => {
    const name = fresh();
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gateway.upstream.behave = async () => {
      begun.resolve();
      await released.promise;
      return { pr: 8 };
    };
    let taken: Promise<unknown> | undefined;
    const approvals = Object.setPrototypeOf(
      {
        get: async (tenant: string, id: string) => {
          const read = await gateway.ports.approvals.get(tenant, id);
          if (taken || read?.status !== 'approved') return read;
          taken = executeApproved(gateway.ports, read);
          await begun.promise;
          return read;
        },
      },
      gateway.ports.approvals,
    );
    const pause = async () => {
      if (taken) {
        released.resolve();
        await taken;
      } else await gateway.vote((await gateway.entries(name))[0]!.envelope_id, 'approve');
    };
    const answer = await gateway.act(name, calls.pull, { how: waitFor(60), over: { pause, approvals } });
    expect(answer).toMatchObject({ decision: 'allow', result: { pr: 8 } });
    expect(gateway.upstream.seen).toHaveLength(1);
  });
});
