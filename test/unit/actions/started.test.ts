/** Rows of started actions: a repeated request is answered the first outcome, a caller reports its own, and the sweep closes the rest. */
import { decideOnly } from '#core/actions/decide-only.ts';
import { reportedOutcome } from '#core/actions/reported-outcome.ts';
import { idOfCall, idOfKey } from '#core/actions/started.ts';
import { closeAbandonedActions } from '#core/actions/sweep-actions.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { calls, faultOf, type Governing, openGateways } from '../../support/governing.ts';
import { keys } from '../../support/ports.ts';

const open = openGateways();
let gateway: Governing;
let session = 0;
const fresh = () => `start-${++session}`;
beforeAll(async () => {
  gateway = await open();
});
beforeEach(() => {
  gateway.upstream.seen.length = 0;
  gateway.upstream.behave = async () => ({ id: 7 });
});

const withKey = (name: string, idempotencyKey: string, call: object = calls.list, more = {}) =>
  gateway.act(name, { ...call, idempotencyKey }, more);
const crash = {
  commit: async (step: { draft: { kind: string } }) =>
    step.draft.kind === 'result' ? Promise.reject(new Error('killed')) : gateway.ports.ledger.commit(step as never),
};

test('[action.idempotency-key] a repeated request is answered the first outcome and carried out once', async () => {
  const name = fresh();
  const first = await withKey(name, 'k1');
  expect(first).not.toHaveProperty('replayed');
  const again = await withKey(name, 'k1');
  expect(again).toEqual({
    ...{ envelope_id: first.envelope_id, decision: 'allow', matched_rule: first.matched_rule, policy: 'pr-writer' },
    ...{ policy_version: 1, session_id: name, replayed: true, result: { id: 7 } },
  });
  expect(gateway.upstream.seen).toHaveLength(1);
  expect(await gateway.kinds(name)).toEqual(['allow', 'result']);
  // Another key of the same word is another request, and a dry run does not look.
  expect(await withKey(fresh(), 'k1', calls.list, { key: keys.other })).not.toHaveProperty('replayed');
  expect(await withKey(name, 'k1', { ...calls.list, dry_run: true })).not.toHaveProperty('replayed');
});

test('a failure is answered again as it was', async () => {
  const name = fresh();
  gateway.upstream.behave = () => Promise.reject(new Error('boom'));
  await withKey(name, 'k2');
  expect(await withKey(name, 'k2')).toMatchObject({
    replayed: true,
    error: {
      message: 'scm.list_branches failed at notes: boom',
      data: { tool: 'scm.list_branches', outcome: 'failed' },
    },
  });
});

test('the same key for another call is a conflict', async () => {
  const name = fresh();
  await withKey(name, 'k3');
  const fault = await faultOf(withKey(name, 'k3', { ...calls.list, target: 'acme/other' }));
  expect(fault).toMatchObject({ code: 'conflict', message: expect.stringContaining('used for another call') });
});

test('while the outcome is not recorded the request is a conflict; what was not executed may be carried out again', async () => {
  const name = fresh();
  await faultOf(withKey(name, 'k4', calls.list, { over: { ledger: crash } }));
  expect(await faultOf(withKey(name, 'k4'))).toMatchObject({ code: 'conflict', data: { outcome: 'unknown' } });
  const late = fresh();
  await faultOf(withKey(late, 'k5', { ...calls.list, hostEndsAtMs: gateway.ports.clock.now() + 1_000 }));
  gateway.upstream.seen.length = 0;
  expect(await withKey(late, 'k5')).toMatchObject({ decision: 'allow', result: { id: 7 } });
  expect(gateway.upstream.seen).toHaveLength(1);
});

test('of two requests at once one is carried out, and the other gets its outcome or a conflict', async () => {
  const name = fresh();
  const { startedActions } = gateway.ports;
  const over = { startedActions: { ...startedActions, get: async () => undefined } };
  await withKey(name, 'k6');
  expect(await withKey(name, 'k6', calls.list, { over })).toMatchObject({ replayed: true, result: { id: 7 } });
  expect(gateway.upstream.seen).toHaveLength(1);
});

test('[action.no-allow-without-end] the sweep closes what is due as unknown, once, and nothing else', async () => {
  const name = fresh();
  const began = gateway.ports.clock.now();
  await faultOf(gateway.act(name, calls.list, { over: { ledger: crash } }));
  const running = (await gateway.entries(name))[0]!.envelope_id;
  const started = (await gateway.ports.startedActions.get('default', running))!;
  expect(started).toMatchObject({ tool: 'scm.list_branches', started_at: isoTime(began) });
  const due = Date.parse(started.due_at!);
  expect(await closeAbandonedActions(gateway.ports, isoTime(due - 1))).toBe(0);
  gateway.pass((due - began) / 1000 + 1);
  expect(await closeAbandonedActions(gateway.ports)).toBeGreaterThanOrEqual(1);
  expect(await closeAbandonedActions(gateway.ports)).toBe(0);
  const last = (await gateway.entries(name)).at(-1)!;
  expect(last).toMatchObject({ kind: 'result', envelope_id: running, actor: { key_id: 'system' } });
  expect(last.body).toMatchObject({ tool: 'scm.list_branches', outcome: 'unknown' });
});

test('the sweep goes on to the next page, and stops where a page brings nothing new', async () => {
  const row = (id: number) => ({ ...{ tenant: 't', id: `i${id}`, session_id: 's', envelope_id: 'e', tool: 'x' } });
  const pages = [[row(1), row(2)], [row(2), row(3)], [row(3)]];
  const closed: string[] = [];
  const asked: unknown[] = [];
  const done = await closeAbandonedActions({
    clock: { now: () => 0 },
    startedActions: { due: async (...given: unknown[]) => pages[asked.push(given) - 1]! } as never,
    telemetry: { log: () => {} },
    ledger: {
      commit: async ({ changes }: { changes: { id: string }[] }) => {
        closed.push(changes[0]!.id);
        return { ok: changes[0]!.id !== 'i2' };
      },
    } as never,
  });
  expect([done, closed, asked.length]).toEqual([2, ['i1', 'i2', 'i3'], 3]);
  expect(asked[0]).toEqual(['1970-01-01T00:00:00.000Z', 100]);
});

test('[watch.each-by-itself] a started action that cannot be closed does not keep the others open', async () => {
  const rows = Array.from({ length: 150 }, (_, n) => ({
    ...{ tenant: 't', id: `i${n}`, session_id: 's', envelope_id: `e${n}`, tool: 'x' },
  }));
  const open = new Set(rows);
  const logged: unknown[][] = [];
  const done = await closeAbandonedActions({
    clock: { now: () => 0 },
    startedActions: { due: async (_: string, limit: number) => [...open].slice(0, limit) } as never,
    telemetry: { log: (...line: unknown[]) => void logged.push(line) },
    ledger: {
      commit: async ({ changes }: { changes: { id: string }[] }) => {
        const id = changes[0]!.id;
        // More of them than a page holds, before the one that can be closed.
        if (id !== 'i149') throw new Error('the row is too large');
        open.delete(rows[149]!);
        return { ok: true };
      },
    } as never,
  });
  expect(done).toBe(1);
  expect(logged).toHaveLength(149);
  expect(logged[0]).toEqual([
    'error',
    'a started action was not closed',
    { envelope_id: 'e0', error: 'the row is too large' },
  ]);
});

describe('[action.reported-outcome] a call that its caller carries out', () => {
  const only = (name: string, call_id: string | undefined, call: object = calls.list) =>
    gateway.act(
      name,
      { ...call, decide_only: true, placement: null, ...(call_id && { call_id }) },
      { how: { carry: decideOnly } },
    );
  const report = (call_id: string, more: object = { outcome: 'executed' }, key = keys.agent) =>
    reportedOutcome(gateway.ports, gateway.principal(key), { call_id, ...more } as never);

  test('is reported once, by its key', async () => {
    const name = fresh();
    const answer = await only(name, 'c1');
    expect(gateway.upstream.seen).toEqual([]);
    expect(await faultOf(report('c1', undefined, keys.other))).toMatchObject({ code: 'not_found' });
    const digest = 'a'.repeat(64);
    const reported = await report('c1', { outcome: 'failed', error: 'no', result_sha256: digest, result_bytes: 0 });
    expect(reported).toMatchObject({ envelope_id: answer.envelope_id, session_id: name, outcome: 'failed' });
    const last = (await gateway.entries(name)).at(-1)!;
    expect(last).toMatchObject({ kind: 'result', hash: reported.evidence_hash });
    expect(last.body).toMatchObject({ outcome: 'failed', reported_by: 'caller', call_id: 'c1', error: 'no' });
    const { key_id } = gateway.principal();
    expect(await gateway.ports.startedActions.get('default', idOfCall(key_id, 'c1'))).toMatchObject({
      ...{ outcome: 'failed', result_sha256: digest, result_bytes: 0 },
    });
    expect(await faultOf(report('c1'))).toMatchObject({ code: 'conflict' });
  });

  test('whose outcome another report recorded a moment before is a conflict', async () => {
    await only(fresh(), 'c2');
    const { startedActions } = gateway.ports;
    const { key_id } = gateway.principal();
    const before = await startedActions.get('default', idOfCall(key_id, 'c2'));
    await report('c2');
    const stale = { ...gateway.ports, startedActions: { get: async () => before } };
    const late = reportedOutcome(stale as never, gateway.principal(), { call_id: 'c2', outcome: 'executed' } as never);
    expect(await faultOf(late)).toMatchObject({ code: 'conflict' });
  });

  test('asked for again under its id keeps its row; another call under that id, or one that ended, is a conflict', async () => {
    const name = fresh();
    const first = await only(name, 'c3');
    const again = await only(name, 'c3');
    expect(again).toMatchObject({ decision: 'allow' });
    expect(again).not.toHaveProperty('replayed');
    expect(await gateway.kinds(name)).toEqual(['allow', 'allow']);
    const other = await faultOf(only(name, 'c3', { ...calls.list, target: 'acme/other' }));
    expect(other).toMatchObject({ code: 'conflict', data: { envelope_id: first.envelope_id } });
    expect(other.message).toContain('was used for another call (');
    await report('c3');
    expect((await faultOf(only(name, 'c3'))).message).toContain('a call whose outcome is recorded');
  });

  test('without an id leaves no row, and uses its approval up with the answer', async () => {
    const name = fresh();
    await only(name, undefined);
    const { key_id } = gateway.principal();
    expect(await gateway.ports.startedActions.get('default', idOfKey(key_id, ''))).toBeUndefined();
    const held = await only(name, undefined, calls.pull);
    const id = held.envelope_id as string;
    expect(await gateway.row(id)).toMatchObject({ caller_executes: true });
    await gateway.vote(id, 'approve');
    expect(await only(name, undefined, calls.pull)).toMatchObject({
      decision: 'allow',
      evidence_hash: expect.any(String),
    });
    expect(await gateway.row(id)).toMatchObject({ status: 'consumed', outcome: 'not_executed' });
    expect((await only(name, undefined, calls.pull)).decision).toBe('review');
  });

  test('under an approval and an id keeps its row open for the report', async () => {
    const name = fresh();
    const id = (await only(name, 'c4', calls.pull)).envelope_id as string;
    await gateway.vote(id, 'approve');
    expect((await only(name, 'c4', calls.pull)).matched_rule).toBe(`approved:${id}`);
    expect(await report('c4')).toMatchObject({ outcome: 'executed' });
  });
});

describe('[action.idempotency-key] under an approval', () => {
  test('the repeated request is answered the first outcome', async () => {
    const name = fresh();
    const id = (await gateway.act(name, calls.pull)).envelope_id as string;
    await gateway.vote(id, 'approve');
    await withKey(name, 'k7', calls.pull);
    expect(await withKey(name, 'k7', calls.pull)).toMatchObject({ matched_rule: `approved:${id}`, replayed: true });
    expect(gateway.upstream.seen).toHaveLength(1);
    const row = await gateway.ports.startedActions.get('default', idOfKey(gateway.principal().key_id, 'k7'));
    expect(row).toMatchObject({ approval_id: id });
    expect(row).not.toHaveProperty('due_at');
  });

  test('of another approval of the same call it is answered as well, also where two come at once', async () => {
    const name = fresh();
    const use = async (over?: object) => {
      const id = (await gateway.act(name, calls.pull)).envelope_id as string;
      await gateway.vote(id, 'approve');
      return withKey(name, 'k9', calls.pull, over ? { over } : {});
    };
    const first = await use();
    const late = await use({ startedActions: { ...gateway.ports.startedActions, get: async () => undefined } });
    expect(late).toMatchObject({ replayed: true, envelope_id: first.envelope_id });
    expect(gateway.upstream.seen).toHaveLength(1);
  });

  test('an outcome that the sweep of leases gave the approval alone is the answer', async () => {
    const name = fresh();
    const id = (await gateway.act(name, calls.pull)).envelope_id as string;
    await gateway.vote(id, 'approve');
    await faultOf(withKey(name, 'k8', calls.pull, { over: { ledger: crash } }));
    expect((await faultOf(withKey(name, 'k8', calls.pull))).code).toBe('conflict');
    const { lease_owner } = await gateway.row(id);
    const ended = { ...(await gateway.row(id)), status: 'consumed', outcome: 'unknown' };
    const reading = (row: object) => ({
      over: { approvals: Object.setPrototypeOf({ get: async () => row }, gateway.ports.approvals) },
    });
    expect(await withKey(name, 'k8', calls.pull, reading({ ...ended, lease_owner }))).toMatchObject({
      error: { message: 'The first execution of scm.create_pull_request ended as unknown.' },
    });
    expect((await faultOf(withKey(name, 'k8', calls.pull, reading({ ...ended, lease_owner: 'x' })))).code).toBe(
      'conflict',
    );
    expect((await faultOf(withKey(name, 'k8', calls.pull, reading({ ...ended, status: 'executing' })))).code).toBe(
      'conflict',
    );
  });
});
