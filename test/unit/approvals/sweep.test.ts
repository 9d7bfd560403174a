/** The sweep over approvals in each state, and the time of its next visit. */
import { dueAt, graceMs } from '#core/approvals/due.ts';
import { sweepApprovals, sweepMs } from '#core/approvals/sweep.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { approvalRow, approvalsWorld, at, start } from './sample.ts';

/** Sets up rows as of one minute after the request was queued. */
function world(...rows: Partial<ApprovalRow>[]) {
  const made = approvalsWorld(...rows.map((over, n) => approvalRow({ envelope_id: `e${n + 1}`, ...over })));
  made.pass(60);
  return made;
}
const nothing = { timed_out: 0, started: 0, released: 0, leases_ended: 0, restarted: 0 };

test.each<[string, Partial<ApprovalRow>, object, unknown[]]>([
  [
    'a clock that did not start',
    {},
    { started: 1 },
    [
      ['start', 'e1'],
      ['postpone', 'e1', at(115)],
    ],
  ],
  [
    'one whose request ends before the next look',
    { expires_at: at(100) },
    { started: 1 },
    [
      ['start', 'e1'],
      ['postpone', 'e1', at(100)],
    ],
  ],
  ['a clock that runs', { clock_started: true }, {}, [['postpone', 'e1', at(1800)]]],
  ['a request at its end', { expires_at: at(60) }, { timed_out: 1 }, [['enqueue', 'e1#denied#slack']]],
  [
    'a decided row whose execution waits',
    { status: 'approved', task_token: 'token' },
    { released: 1 },
    [
      ['settle', 'token', { status: 'approved' }],
      ['releaseToken', 'e1'],
    ],
  ],
  ['a decided row without one', { status: 'denied' }, {}, [['releaseToken', 'e1']]],
  ['a lease that runs', { status: 'executing', lease_expires_at: at(61) }, {}, [['postpone', 'e1', at(61)]]],
  ['a lease at its end', { status: 'executing', lease_expires_at: at(60) }, { leases_ended: 1 }, []],
  ['a lease without an end', { status: 'executing' }, { leases_ended: 1 }, []],
  ['a used approval', { status: 'consumed' }, {}, []],
])('[approval.machine] %s', async (_what, over, counted, expected) => {
  const { ports, did } = world(over);
  expect(await sweepApprovals(ports)).toEqual({
    pending: 1,
    oldest_seconds: 60,
    overdue_seconds: 0,
    ...nothing,
    ...counted,
  });
  expect(did).toEqual([['due', at(60)], ...expected]);
});

describe('[approval.restarted] an approved call that is executed by the gateway', () => {
  const approved = { status: 'approved', decided_at: at(0), use_expires_at: at(1800) } as const;
  const again = [
    ['start', 'e1', 'e1-again'],
    ['noteRestarted', 'e1'],
  ];
  test.each<[string, number, Partial<ApprovalRow>, unknown[]]>([
    ['waits for its first execution', 60, {}, [['releaseToken', 'e1', at(300)]]],
    ['gets a second one five minutes after the decision', 300, {}, again],
    ['or after the last fault', 300, { given_back_at: at(200) }, [['releaseToken', 'e1', at(500)]]],
    ['or after half of the time in which it can be used', 60, { use_expires_at: at(120) }, again],
    [
      'gets it later if its execution has not been released',
      300,
      { task_token: 'token' },
      [
        ['settle', 'token', { status: 'approved' }],
        ['releaseToken', 'e1', at(355)],
      ],
    ],
    ['has had it', 300, { restarted: true }, [['releaseToken', 'e1']]],
    ['needs its raw values', 300, { withheld: ['$.body'] }, [['releaseToken', 'e1']]],
    ['is made by its caller', 300, { caller_executes: true }, [['releaseToken', 'e1']]],
  ])('%s', async (_what, seconds, over, expected) => {
    const made = approvalsWorld(approvalRow({ ...approved, ...over }));
    made.configuration.approvals.on_approval = 'execute';
    made.pass(seconds);
    const { restarted } = await sweepApprovals(made.ports);
    expect(made.did.slice(1)).toEqual(expected);
    expect(restarted).toBe(expected === again ? 1 : 0);
  });
});

test('[approval.lease] an expired lease is recorded with outcome unknown under its holder, and only if it was not renewed', async () => {
  const { ports, rows, commits } = world({ status: 'executing', lease_owner: 'run', lease_expires_at: at(60) });
  await sweepApprovals(ports);
  expect(rows.get('e1')).toMatchObject({ status: 'consumed', outcome: 'unknown' });
  expect(commits).toEqual([
    {
      draft: {
        tenant: 't',
        session_id: 's',
        timestamp: at(60),
        kind: 'result',
        envelope_id: 'run',
        actor: { key_id: 'system' },
        body: {
          tool: 'scm.merge',
          outcome: 'unknown',
          approval_ref: 'e1',
          reason: 'lease ended without an outcome',
        },
      },
      changes: [
        {
          type: 'approval.move',
          id: 'e1',
          tenant: 't',
          from: 'executing',
          to: 'consumed',
          set: { outcome: 'unknown' },
          where: { lease_owner: 'run', lease_expires_at: at(60) },
        },
      ],
    },
  ]);
  const old = world({ status: 'executing', lease_owner: 'run' });
  await sweepApprovals(old.ports);
  expect(old.commits[0]?.changes).toMatchObject([{ where: { lease_owner: 'run' } }]);
  const older = world({ status: 'executing' });
  await sweepApprovals(older.ports);
  expect(older.commits[0]?.draft.envelope_id).toBe('e1');
  expect(older.commits[0]?.changes?.[0]).not.toHaveProperty('where');
});

test('a row that cannot be repaired is postponed and logged, and the next one is still repaired', async () => {
  const { ports, done, logged } = world({}, {});
  const approvalClock = {
    ...ports.approvalClock,
    start: async (id: string) => {
      if (id === 'e1') throw new Error('no clock');
    },
  };
  expect(await sweepApprovals({ ...ports, approvalClock })).toMatchObject({ started: 1, pending: 2 });
  expect(logged).toEqual([['approval sweep postponed', { envelope_id: 'e1', error: 'no clock' }]]);
  expect(done('postpone').toSorted()).toEqual([
    ['postpone', 'e1', at(115)],
    ['postpone', 'e2', at(115)],
  ]);
  const approvals = { ...ports.approvals, postpone: () => Promise.reject(new Error('down')) };
  expect(await sweepApprovals({ ...ports, approvals })).toMatchObject({ started: 0 });
});

test('a sweep starts no more rows once its time is up, and leaves the rest to the next sweep', async () => {
  const { ports, pass } = world(...Array.from({ length: 60 }, () => ({})));
  const started: string[] = [];
  const approvalClock = {
    ...ports.approvalClock,
    start: async (id: string) => {
      started.push(id);
      if (started.length === 1) pass(sweepMs / 1000);
    },
  };
  await sweepApprovals({ ...ports, approvalClock });
  // As many as are started concurrently.
  expect(started.length).toBe(20);
});

test('[watch.alarms] a request that cannot be denied is reported with the time since its deadline; one that may wait long is not', async () => {
  const waits = { expires_at: at(86_400), clock_started: true };
  const { ports } = world({ expires_at: at(-600) }, waits, { ...waits, status: 'approved', expires_at: at(-900) });
  const ledger = { ...ports.ledger, commit: () => Promise.reject(new Error('down')) };
  expect(await sweepApprovals({ ...ports, ledger })).toMatchObject({ timed_out: 0, overdue_seconds: 660 });
  expect(await sweepApprovals(world(waits).ports)).toMatchObject({ overdue_seconds: 0 });
});

test('the age is 0 if no requests are pending, and never negative if the clock is slow', async () => {
  const { ports } = world();
  const waiting = (oldest?: string) => ({ ...ports.approvals, waiting: async () => ({ pending: 0, oldest }) }) as never;
  expect(await sweepApprovals({ ...ports, approvals: waiting() })).toMatchObject({ oldest_seconds: 0 });
  expect(await sweepApprovals({ ...ports, approvals: waiting(at(70)) })).toMatchObject({ oldest_seconds: 0 });
  expect(await sweepApprovals({ ...ports, approvals: waiting(at(49.6)) })).toMatchObject({ oldest_seconds: 10 });
});

describe('[store.sweep] when a row is due', () => {
  const soon = isoTime(start + graceMs);
  test.each<[string, Parameters<typeof dueAt>[0], string | undefined]>([
    ['a request whose clock did not start', { status: 'pending', queued_at: at(0), expires_at: at(1800) }, soon],
    ['one that ends sooner', { status: 'pending', queued_at: at(0), expires_at: at(3) }, at(3)],
    ['one without an end', { status: 'pending', queued_at: at(0) }, soon],
    ['one whose clock runs', { status: 'pending', queued_at: at(0), expires_at: at(9), clock_started: true }, at(9)],
    ['one of which only the end is known', { status: 'pending', expires_at: at(9) }, at(9)],
    ['an approved row', { status: 'approved', decided_at: at(0), expires_at: at(9) }, soon],
    ['a denied row', { status: 'denied', decided_at: at(0) }, soon],
    ['one given back after a fault', { status: 'approved', given_back_at: at(0) }, soon],
    ['one without a time of its decision', { status: 'denied' }, undefined],
    ['a lease', { status: 'executing', lease_expires_at: at(120), decided_at: at(0) }, at(120)],
    ['a used approval', { status: 'consumed', decided_at: at(0), lease_expires_at: at(9) }, undefined],
  ])('%s', (_what, row, expected) => expect(dueAt(row)).toBe(expected));

  test('the grace period is five seconds', () => expect(graceMs).toBe(5_000));
});
