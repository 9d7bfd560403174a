/** Deliveries: receipts, retries, dead letters, and the order of messages about an approval. */
import { DeliveryRefusal, deliverAll, deliverUntilNoneIsDue } from '#core/approvals/notifications/deliver.ts';
import type { Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import { enqueueSubmitted } from '#core/approvals/notifications/enqueue.ts';
import { deliverySetting as setting } from './delivery-setting.ts';
import { sampleRow } from './sample.ts';

/** Delivers one page of due messages. */
const deliverDue = (ports: Parameters<typeof deliverUntilNoneIsDue>[0]) => deliverUntilNoneIsDue(ports, 0);

describe('queueing', () => {
  test('[notify.events] submitted, approved and denied are each sent to every channel once, however often they are enqueued', async () => {
    const { enqueue, rows } = setting();
    for (const event of ['submitted', 'approved', 'denied'] as const) {
      await enqueue(event, ['slack', 'webhook']);
      await enqueue(event, ['slack', 'webhook']);
    }
    expect([...rows.values()].map(({ event, channel }) => `${event} ${channel}`)).toEqual([
      'submitted slack',
      'submitted webhook',
      'approved slack',
      'approved webhook',
      'denied slack',
      'denied webhook',
    ]);
    expect(JSON.stringify([...rows.values()])).not.toContain('task-token-value');
  });
});

describe('[notify.digest] a channel that a request is escalated to', () => {
  const submitted = async ({ ports }: ReturnType<typeof setting>) =>
    enqueueSubmitted(ports, ['slack', 'webhook'], ['webhook'], sampleRow());
  const halfTime = 900;

  test('is notified once, when half of the request’s time has passed', async () => {
    const now = setting();
    await submitted(now);
    expect(await deliverDue(now.ports)).toBe(1);
    now.pass(halfTime - 1);
    expect(await deliverDue(now.ports)).toBe(0);
    now.pass(1);
    expect(await deliverDue(now.ports)).toBe(1);
    expect(now.sent).toHaveLength(2);
    expect(now.delivery('submitted', 'webhook')).toMatchObject({ state: 'sent', receipt: { ts: '2' } });
  });

  test('is not notified immediately when the stream delivers its message', async () => {
    const now = setting();
    await submitted(now);
    expect((await deliverAll(now.ports, [...now.rows.values()])).sent).toBe(1);
    expect(now.delivery('submitted', 'webhook')).toMatchObject({ state: 'due', attempts: 0 });
  });

  test('gets neither the request nor the decision if the decision was made earlier', async () => {
    const now = setting();
    await submitted(now);
    const decided = { ...now.ports, approvals: { find: async () => sampleRow({ status: 'approved' }) } };
    await deliverDue(now.ports);
    await now.enqueue('approved', ['slack', 'webhook']);
    await deliverDue(decided);
    now.pass(halfTime + 10);
    await deliverUntilNoneIsDue(decided, 1_000);
    expect(now.sent.map(({ event }) => event)).toEqual(['submitted', 'approved']);
    for (const event of ['submitted', 'approved'] as const)
      expect(now.delivery(event, 'webhook')).toMatchObject({ state: 'sent' });
  });

  test('gets the decision if it was notified of the request', async () => {
    const now = setting();
    await submitted(now);
    now.pass(halfTime);
    await deliverDue(now.ports);
    await now.enqueue('denied', ['slack', 'webhook']);
    await deliverDue({ ...now.ports, approvals: { find: async () => sampleRow({ status: 'denied' }) } });
    expect(now.delivery('denied', 'webhook')).toMatchObject({ state: 'sent', receipt: { ts: expect.any(String) } });
    expect(now.sent.filter(({ event }) => event === 'denied')).toHaveLength(2);
  });
});

describe('delivering', () => {
  test('the time from an approval request to its first message is measured and is never negative', async () => {
    const { ports, observed, enqueue, pass } = setting();
    for (const queued_at of ['2025-12-31T23:59:59.750Z', '2026-01-01T00:00:00.500Z']) {
      await enqueue('submitted', ['slack'], queued_at);
      const approvals = { find: async () => sampleRow({ queued_at }) };
      await deliverDue({ ...ports, approvals });
    }
    await enqueue('approved', ['webhook']);
    pass(60);
    await deliverDue(ports);
    const name = 'svc_delivery_delay_seconds';
    expect(observed).toEqual([
      [name, 0.25],
      [name, 0],
    ]);
  });

  test('two concurrent workers send a message only once', async () => {
    const { ports, sent, enqueue } = setting();
    await enqueue('submitted');
    const counts = await Promise.all([deliverDue(ports), deliverDue(ports)]);
    expect(counts.sort()).toEqual([0, 1]);
    expect(sent).toHaveLength(1);
  });

  test('if a worker dies after claiming a delivery, another takes over, so delivery is at least once', async () => {
    const { ports, sent, enqueue, pass } = setting();
    await enqueue('submitted');
    const { update } = ports.deliveries;
    let crashed = false;
    const dying = {
      ...ports.deliveries,
      update: async (...change: Parameters<typeof update>) => {
        if (change[1].state === 'sent' && !crashed) {
          crashed = true;
          throw new Error('killed');
        }
        return update(...change);
      },
    };
    expect(await deliverDue({ ...ports, deliveries: dying })).toBe(0);
    expect(await deliverDue(ports)).toBe(0);
    pass(31);
    expect(await deliverDue(ports)).toBe(1);
    expect(sent).toHaveLength(2);
  });

  test('[notify.retries] failed deliveries are retried at increasing intervals, and become dead letters after the eighth failure', async () => {
    const { ports, faults, enqueue, delivery, pass } = setting();
    await enqueue('submitted');
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt++) {
      faults.push(new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
      expect(await deliverDue(ports)).toBe(0);
      if (attempt === 8) break;
      const wait = (Date.parse(delivery()!.due_at) - ports.clock.now()) / 1000;
      waits.push(wait);
      pass(wait - 1);
      expect(await deliverDue(ports)).toBe(0);
      expect(delivery()).toMatchObject({ state: 'due', attempts: attempt });
      pass(1);
    }
    expect(waits).toEqual([7.5, 15, 30, 60, 120, 240, 450]);
    expect(delivery()).toMatchObject({ state: 'dead', attempts: 8, last_error: 'fetch failed: connect ECONNREFUSED' });
    pass(100_000);
    expect(await deliverDue(ports)).toBe(0);
  });

  test.each([
    [120, 120],
    [1, 7.5],
    [10 ** 9, 3600],
  ])('a channel that asks for a delay of %d s is retried after %d s', async (asked, waited) => {
    const { ports, faults, enqueue, delivery } = setting();
    await enqueue('submitted');
    faults.push(new DeliveryRefusal('slow down', asked));
    await deliverDue(ports);
    expect((Date.parse(delivery()!.due_at) - ports.clock.now()) / 1000).toBe(waited);
  });

  test('a decision updates the message of its request, even if both are due at the same time', async () => {
    const { ports, sent, enqueue } = setting();
    await enqueue('approved');
    await enqueue('submitted');
    expect(await deliverDue(ports)).toBe(2);
    expect(sent).toEqual([
      { event: 'submitted', earlier: undefined },
      { event: 'approved', earlier: { ts: '1' } },
    ]);
  });

  test('a decision waits until its request is posted, without using up an attempt', async () => {
    const { ports, sent, faults, enqueue, delivery, pass } = setting();
    await enqueue('submitted');
    faults.push(new Error('down'));
    await deliverDue(ports);
    await enqueue('approved');
    const first = delivery()!.due_at;
    expect(await deliverDue(ports)).toBe(0);
    expect(delivery('approved')).toMatchObject({ state: 'due', attempts: 0, due_at: first });
    pass(4);
    await enqueue('denied');
    await deliverDue(ports);
    // Not before the request itself, and not retried immediately.
    expect((Date.parse(delivery('denied')!.due_at) - ports.clock.now()) / 1000).toBe(5);
    pass(60);
    expect(await deliverDue(ports)).toBe(3);
    expect(sent.map(({ event }) => event)).toEqual(['submitted', 'approved', 'denied']);
  });

  test('a decision is sent as a separate message if its request could not be delivered', async () => {
    const { ports, rows, sent, enqueue, delivery } = setting();
    await enqueue('submitted');
    rows.set(delivery()!.id, { ...delivery()!, state: 'dead' });
    await enqueue('denied');
    expect(await deliverDue(ports)).toBe(1);
    expect(sent).toEqual([{ event: 'denied', earlier: undefined }]);
  });

  test('a single store fault does not delay other deliveries', async () => {
    const { ports, sent, logged, enqueue } = setting();
    await enqueue('submitted', ['slack'], '01890000-0000-7000-8000-00000000000a');
    await enqueue('submitted', ['slack'], '01890000-0000-7000-8000-00000000000b');
    let calls = 0;
    const { update } = ports.deliveries;
    const failing: typeof update = async (...change) => {
      if (calls++ === 0) throw new Error('store down');
      return update(...change);
    };
    expect(await deliverDue({ ...ports, deliveries: { ...ports.deliveries, update: failing } })).toBe(1);
    expect(sent).toHaveLength(1);
    expect(logged).toEqual([['notification state unknown', { id: expect.any(String), error: 'store down' }]]);
  });

  test('delivery fails with a reason if the channel is disabled or the approval is missing', async () => {
    const { ports, enqueue, delivery } = setting();
    await enqueue('submitted', ['off']);
    await deliverDue(ports);
    expect(delivery('submitted', 'off')?.last_error).toBe('the channel off is not configured');
    await enqueue('submitted');
    await deliverDue({ ...ports, approvals: { find: async () => undefined } });
    expect(delivery()?.last_error).toBe('the approval no longer exists');
  });
});

describe('newly enqueued notifications', () => {
  test('[notify.events] a new notification is sent immediately, and only once if it is received twice', async () => {
    const { ports, rows, sent, enqueue } = setting();
    await enqueue('submitted');
    const fresh = [...rows.values()];
    expect(await deliverAll(ports, fresh)).toEqual({ sent: 1, moved: 1 });
    expect(await deliverAll(ports, fresh)).toEqual({ sent: 0, moved: 0 });
    expect(sent).toHaveLength(1);
  });

  test('[notify.events] a decision made while the first message is being sent is delivered right after it', async () => {
    const { ports, sent, enqueue, delivery } = setting();
    await enqueue('submitted');
    const notifier: Notifier = {
      async send(event, row, earlier) {
        if (event === 'submitted') {
          await enqueue('approved');
          expect(await deliverAll(ports, [delivery('approved')!])).toEqual({ sent: 0, moved: 1 });
        }
        return (await ports.notifier('slack'))!.send(event, row, earlier);
      },
    };
    await deliverAll({ ...ports, notifier: async () => notifier }, [delivery('submitted')!]);
    expect(sent.map(({ event }) => event)).toEqual(['submitted', 'approved']);
    expect(sent[1]!.earlier).toEqual({ ts: '1' });
    expect(delivery('approved')).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test('[notify.events] a decision is not sent if its first message failed', async () => {
    const { ports, faults, enqueue, delivery } = setting();
    await enqueue('submitted');
    await enqueue('approved');
    const waiting = delivery('approved');
    faults.push(new Error('down'));
    await deliverAll(ports, [delivery('submitted')!]);
    expect(delivery('approved')).toEqual(waiting);
  });
});

describe('[store.sweep] a delivery', () => {
  test('with attempts that never finished is abandoned, not retried', async () => {
    const now = setting();
    await now.enqueue('submitted');
    const [row] = [...now.rows.values()];
    now.rows.set(row!.id, { ...row!, attempts: 8 });
    await deliverDue(now.ports);
    expect(now.sent).toEqual([]);
    expect(now.delivery()).toMatchObject({ state: 'dead', attempts: 9, last_error: 'no attempt was completed' });
  });

  test('truncates an error that is too long for its row', async () => {
    const now = setting();
    await now.enqueue('submitted');
    now.faults.push(new Error('x'.repeat(500_000)));
    await deliverDue(now.ports);
    expect(now.delivery()!.last_error).toHaveLength(1_000);
  });
});
