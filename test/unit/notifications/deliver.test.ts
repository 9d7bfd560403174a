import {
  type DeliverPorts,
  DeliveryRefused,
  deliverAll,
  deliverDue,
  deliverUntilNoneIsDue,
  type Notifier,
} from '#core/approvals/deliver.ts';
import { deliveryId, enqueueNotifications } from '#core/approvals/notifications.ts';
import type { Delivery, NotificationEvent } from '#core/approvals/ports.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { approvalId, memoryDeliveries, sampleRow } from './sample.ts';

interface Sent {
  readonly event: NotificationEvent;
  readonly earlier: Readonly<Record<string, string>> | undefined;
}

function setting() {
  const { rows, store } = memoryDeliveries();
  const time = { ms: Date.UTC(2026, 0, 1) };
  const sent: Sent[] = [];
  const faults: Error[] = [];
  const notifier: Notifier = {
    async send(event, _row, earlier) {
      const fault = faults.shift();
      if (fault) throw fault;
      sent.push({ event, earlier });
      return { ts: String(sent.length) };
    },
  };
  const telemetry: Telemetry = {
    span: (_n, _a, work) => work({ traceId: '', set() {}, elapsedUs: () => 0 }),
    continued: (_from, work) => work(),
    outgoing: () => ({}),
    count() {},
    gauge() {},
    observe() {},
    flush: async () => {},
    log() {},
  };
  const ports: DeliverPorts = {
    clock: { now: () => time.ms },
    deliveries: store,
    approvals: { find: async () => sampleRow() },
    telemetry,
    notifier: async (channel) => (channel === 'off' ? undefined : notifier),
    random: () => 0.5,
  };
  const enqueue = (event: NotificationEvent, channels = ['slack'], envelope_id = approvalId) =>
    enqueueNotifications(ports, channels, event, sampleRow({ envelope_id }));
  const delivery = (event: NotificationEvent = 'submitted', channel = 'slack') =>
    rows.get(deliveryId(approvalId, event, channel));
  const pass = (seconds: number) => {
    time.ms += seconds * 1000;
  };
  return { ports, rows, sent, faults, enqueue, delivery, pass };
}

describe('queueing', () => {
  test('[notify.events] submitted, approved and denied each go to every channel once, however often asked', async () => {
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

describe('delivering', () => {
  test('what is due goes out once, and its receipt is kept', async () => {
    const { ports, enqueue, delivery } = setting();
    await enqueue('submitted');
    expect(await deliverDue(ports)).toBe(1);
    expect(await deliverDue(ports)).toBe(0);
    expect(delivery()).toMatchObject({ state: 'sent', attempts: 1, receipt: { ts: '1' } });
  });

  test('two workers at once send once', async () => {
    const { ports, sent, enqueue } = setting();
    await enqueue('submitted');
    const counts = await Promise.all([deliverDue(ports), deliverDue(ports)]);
    expect(counts.sort()).toEqual([0, 1]);
    expect(sent).toHaveLength(1);
  });

  test('a worker that died after its claim is followed by another: at least once', async () => {
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

  test('[notify.retries] faults are tried again ever later, and the eighth makes a dead letter', async () => {
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
  ])('a channel that asks for %d s is tried again after %d s', async (asked, waited) => {
    const { ports, faults, enqueue, delivery } = setting();
    await enqueue('submitted');
    faults.push(new DeliveryRefused('slow down', asked));
    await deliverDue(ports);
    expect((Date.parse(delivery()!.due_at) - ports.clock.now()) / 1000).toBe(waited);
  });

  test('a decision rewrites the message of the request, even when both are due at once', async () => {
    const { ports, sent, enqueue } = setting();
    await enqueue('approved');
    await enqueue('submitted');
    expect(await deliverDue(ports)).toBe(2);
    expect(sent).toEqual([
      { event: 'submitted', earlier: undefined },
      { event: 'approved', earlier: { ts: '1' } },
    ]);
  });

  test('a decision waits, using up no attempt, while the request is still to be posted', async () => {
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
    // Not before the request itself, and not at once again.
    expect((Date.parse(delivery('denied')!.due_at) - ports.clock.now()) / 1000).toBe(5);
    pass(60);
    expect(await deliverDue(ports)).toBe(3);
    expect(sent.map(({ event }) => event)).toEqual(['submitted', 'approved', 'denied']);
  });

  test('a decision goes out by itself when the request never got through', async () => {
    const { ports, rows, sent, enqueue, delivery } = setting();
    await enqueue('submitted');
    rows.set(delivery()!.id, { ...delivery()!, state: 'dead' });
    await enqueue('denied');
    expect(await deliverDue(ports)).toBe(1);
    expect(sent).toEqual([{ event: 'denied', earlier: undefined }]);
  });

  test('one fault of the store does not hold up the other deliveries', async () => {
    const { ports, sent, enqueue } = setting();
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
  });

  test('a channel that is switched off, and an approval that is gone, are failures with a reason', async () => {
    const { ports, enqueue, delivery } = setting();
    await enqueue('submitted', ['off']);
    await deliverDue(ports);
    expect(delivery('submitted', 'off')?.last_error).toBe('the channel off is not configured');
    await enqueue('submitted');
    await deliverDue({ ...ports, approvals: { find: async () => undefined } });
    expect(delivery()?.last_error).toBe('the approval is gone');
  });
});

describe('what was just enqueued', () => {
  test('[notify.within-seconds] goes out at once, and once when it is brought twice', async () => {
    const { ports, rows, sent, enqueue } = setting();
    await enqueue('submitted');
    const fresh = [...rows.values()];
    expect(await deliverAll(ports, fresh)).toEqual({ sent: 1, moved: 1 });
    expect(await deliverAll(ports, fresh)).toEqual({ sent: 0, moved: 0 });
    expect(sent).toHaveLength(1);
  });

  test('[notify.within-seconds] a decision that comes while its first message is on the way follows at once', async () => {
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

  test('[notify.within-seconds] a failure is left to the schedule', async () => {
    const { ports, sent, faults, rows, enqueue, pass } = setting();
    await enqueue('submitted');
    faults.push(new Error('down'));
    expect(await deliverAll(ports, [...rows.values()])).toEqual({ sent: 0, moved: 1 });
    pass(60);
    expect(await deliverUntilNoneIsDue(ports, 45_000)).toBe(1);
    expect(sent).toHaveLength(1);
  });
});

describe('[notify.until-nothing-is-due] the schedule', () => {
  const many = async (enqueue: ReturnType<typeof setting>['enqueue'], count: number) => {
    for (let i = 0; i < count; i++) await enqueue('submitted', ['slack'], `approval-${i}`);
  };

  test('goes on page after page until nothing is due', async () => {
    const { ports, sent, enqueue } = setting();
    await many(enqueue, 25);
    expect(await deliverUntilNoneIsDue(ports, 45_000, 10)).toBe(25);
    expect(sent).toHaveLength(25);
  });

  test('ends when its time is over, and what is left is sent by the next', async () => {
    const { ports, enqueue, pass } = setting();
    await many(enqueue, 25);
    const due: typeof ports.deliveries.due = async (...given) => {
      const page = await ports.deliveries.due(...given);
      pass(30);
      return page;
    };
    expect(await deliverUntilNoneIsDue({ ...ports, deliveries: { ...ports.deliveries, due } }, 45_000, 10)).toBe(20);
    expect(await deliverUntilNoneIsDue(ports, 45_000, 10)).toBe(5);
  });

  test('ends where the store takes nothing', async () => {
    const { ports, sent, enqueue } = setting();
    await many(enqueue, 3);
    const update = () => Promise.reject(new Error('the store is down'));
    expect(await deliverUntilNoneIsDue({ ...ports, deliveries: { ...ports.deliveries, update } }, 45_000)).toBe(0);
    expect(sent).toEqual([]);
  });

  test('ends where another worker has all of a page', async () => {
    const { ports, enqueue } = setting();
    await many(enqueue, 3);
    let pages = 0;
    const deliveries = {
      ...ports.deliveries,
      due: async () => {
        pages++;
        return ports.deliveries.due('9999', 3);
      },
      update: async () => false,
    };
    expect(await deliverUntilNoneIsDue({ ...ports, deliveries }, 45_000)).toBe(0);
    expect(pages).toBe(1);
  });
});

describe('[alert.evaluated] what is not an approval', () => {
  const alert = { id: 'a1', severity: 'critical', message: 'm', change: 'opened' } as NonNullable<Delivery['alert']>;
  const one = (over: Partial<Delivery>): Delivery => ({
    ...{ id: 'd1', channel: 'slack', event: 'submitted', envelope_id: 'e', tenant: 't', attempts: 0, state: 'due' },
    ...{ due_at: '2026-01-01T00:00:00.000Z', ...over },
  });
  const kept = async (delivery: Delivery, notifier: Notifier | undefined) => {
    const { ports, rows } = setting();
    rows.set(delivery.id, delivery);
    const outcome = await deliverAll({ ...ports, notifier: async () => notifier }, [delivery]);
    return [outcome, rows.get(delivery.id)] as const;
  };
  const plain: Notifier = { send: async () => ({}) };

  test('an alert goes where alerts are taken, and is a failure elsewhere', async () => {
    const taking = { ...plain, sendAlert: async (given: object) => ({ given: JSON.stringify(given) }) };
    expect(await kept(one({ alert }), taking)).toMatchObject([
      { sent: 1, moved: 1 },
      { state: 'sent', attempts: 1, receipt: { given: JSON.stringify(alert) } },
    ]);
    for (const notifier of [plain, undefined])
      expect(await kept(one({ alert }), notifier)).toMatchObject([
        { sent: 0, moved: 1 },
        { state: 'due', last_error: 'the channel slack is not configured for alerts' },
      ]);
  });

  test('an event of a policy is done where the channel takes none', async () => {
    const policy = { name: 'p' } as unknown as NonNullable<Delivery['policy']>;
    const taking = { ...plain, sendPolicyEvent: async () => ({ id: '1' }) };
    expect((await kept(one({ policy }), taking))[1]).toMatchObject({ state: 'sent', receipt: { id: '1' } });
    expect((await kept(one({ policy }), undefined))[1]).toMatchObject({ state: 'sent', receipt: {} });
  });

  test('the texts of an evaluated call leave the store when it is sent, and when it is given up', async () => {
    const evaluation = { prompt: 'p' } as unknown as NonNullable<Delivery['evaluation']>;
    const taking = { ...plain, evaluate: async () => ({ score: '1' }) };
    const sent = (await kept(one({ evaluation }), taking))[1]!;
    expect([sent.state, sent.receipt, 'evaluation' in sent]).toEqual(['sent', { score: '1' }, false]);
    const failed = (await kept(one({ evaluation }), plain))[1]!;
    expect([failed.state, failed.last_error, 'evaluation' in failed]).toEqual([
      'due',
      'no evaluation webhook is configured',
      true,
    ]);
    const dead = (await kept(one({ evaluation, attempts: 7 }), plain))[1]!;
    expect([dead.state, 'evaluation' in dead]).toEqual(['dead', false]);
  });
});
