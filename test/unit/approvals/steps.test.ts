/** The steps of the approval state machine. Each reads the row as the source of truth, and may run twice. */
import { announce, hold, settle } from '#core/approvals/steps.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalRow, approvalsWorld, at } from './sample.ts';

const world = (over: Partial<ApprovalRow> = {}) => approvalsWorld(approvalRow(over));

describe('announce', () => {
  test('notifies the channels and returns the remaining seconds', async () => {
    const { ports, did, pass } = world();
    pass(60.5);
    expect(await announce(ports, 'e1')).toEqual({ seconds_left: 1740 });
    expect(did).toEqual([
      ['clockStarted', expect.objectContaining({ envelope_id: 'e1' })],
      ['enqueue', 'e1#submitted#slack'],
    ]);
  });

  test.each<[string, number, number]>([
    ['one second before the end', 1799, 1],
    ['two', 1798, 2],
    ['at the end', 1800, 1],
    ['long after it', 9000, 1],
  ])('the remaining wait is at least one second: %s', async (_when, seconds, left) => {
    const { ports, pass } = world();
    pass(seconds);
    expect(await announce(ports, 'e1')).toEqual({ seconds_left: left });
  });

  test('no channel is notified of a request that is already decided', async () => {
    const { ports, done } = world({ status: 'approved' });
    await announce(ports, 'e1');
    expect(done('clockStarted')).toHaveLength(1);
    expect(done('enqueue')).toEqual([]);
  });

  test('a channel that cannot be notified does not delay the others', async () => {
    const { ports, logged } = world();
    const deliveries = { enqueue: () => Promise.reject(new Error('down')) } as never;
    expect(await announce({ ...ports, deliveries }, 'e1')).toEqual({ seconds_left: 1800 });
    expect(logged).toEqual([['approval notification postponed', { envelope_id: 'e1', error: 'down' }]]);
  });

  test('returns not_found for an unknown approval', async () => {
    const { ports } = world();
    await expect(announce(ports, 'e2')).rejects.toMatchObject({ code: 'not_found' });
    await expect(settle(ports, 'e2')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test.each<[ApprovalRow['status'], unknown[]]>([
  ['pending', []],
  ['approved', [['settle', 'token', { status: 'approved' }]]],
  ['denied', [['settle', 'token', { status: 'denied' }]]],
])(
  'hold: a token parked on a row that is %s is released immediately only if the row is decided',
  async (status, settled) => {
    const { ports, done } = world({ status });
    await hold(ports, 'e1', 'token');
    expect(done('holdToken')).toEqual([['holdToken', 'e1', 'token']]);
    expect(done('settle')).toEqual(settled);
  },
);

describe('settle', () => {
  test('a request that has not expired stays pending', async () => {
    const { ports, did, commits } = world({ expires_at: at(0.001) });
    expect(await settle(ports, 'e1')).toEqual({ status: 'pending' });
    expect([did, commits]).toEqual([[], []]);
  });

  test('[approval.timeout] an expired request is denied, and its channels are notified', async () => {
    const { ports, rows, done } = world({ expires_at: at(0) });
    expect(await settle(ports, 'e1')).toEqual({ status: 'denied' });
    expect(rows.get('e1')).toMatchObject({ status: 'denied', reason: 'timeout' });
    expect(done('enqueue').at(-1)).toEqual(['enqueue', 'e1#denied#slack']);
  });

  test('a token is released only once', async () => {
    const { ports, done } = world({ status: 'denied', task_token: 'token' });
    await settle(ports, 'e1');
    expect(done('releaseToken', 'enqueue')).toEqual([
      ['enqueue', 'e1#denied#slack'],
      ['releaseToken', 'e1'],
    ]);
    const without = world({ status: 'denied' });
    await settle(without.ports, 'e1');
    expect(without.done('releaseToken')).toEqual([]);
  });

  test.each<[ApprovalRow['status'], 'release' | 'execute', boolean]>([
    ['approved', 'execute', true],
    ['approved', 'release', false],
    ['denied', 'execute', false],
    ['consumed', 'execute', false],
  ])(
    '[approval.on-approval.execute] a row with status %s and on_approval %s is executed: %s',
    async (status, on_approval, runs) => {
      const { ports, configuration, done } = world({ status });
      configuration.approvals.on_approval = on_approval;
      const host = { endsAtMs: 5 };
      expect(await settle(ports, 'e1', host)).toEqual({ status: runs ? 'consumed' : status });
      expect(done('execute')).toEqual(runs ? [['execute', 'e1', host]] : []);
      expect(done('enqueue')).toEqual([['enqueue', `e1#${status === 'denied' ? 'denied' : 'approved'}#slack`]]);
    },
  );
});
