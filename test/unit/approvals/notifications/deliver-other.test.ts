/** Alerts, policy events and evaluated calls use the same deliveries as approvals. */
import { deliverAll } from '#core/approvals/notifications/deliver.ts';
import type { Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { deliverySetting as setting } from './delivery-setting.ts';

describe('[alert.lifecycle] notifications about things other than approvals', () => {
  const alert = { id: 'a1', severity: 'critical', message: 'm', change: 'opened' } as NonNullable<Delivery['alert']>;
  const one = (over: Partial<Delivery>): Delivery => ({
    id: 'd1',
    channel: 'slack',
    event: 'submitted',
    envelope_id: 'e',
    tenant: 't',
    attempts: 0,
    state: 'due',
    due_at: '2026-01-01T00:00:00.000Z',
    ...over,
  });
  const kept = async (delivery: Delivery, notifier: Notifier | undefined) => {
    const { ports, rows } = setting();
    rows.set(delivery.id, delivery);
    const outcome = await deliverAll({ ...ports, notifier: async () => notifier }, [delivery]);
    return [outcome, rows.get(delivery.id)] as const;
  };
  const plain: Notifier = { send: async () => ({}) };

  test('an alert is sent to channels that accept alerts, and fails on other channels', async () => {
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

  test('[notify.retries] a row with the id of an evaluation cannot send approvers a different message', async () => {
    const taking = { ...plain, sendAlert: async () => ({ sent: 'yes' }) };
    const forged = { id: 'e#evaluation#evaluation' };
    for (const other of [{ alert }, { event: 'submitted' as const }, { digest: {} as NonNullable<Delivery['digest']> }])
      expect((await kept(one({ ...forged, ...other }), taking))[1]).toMatchObject({
        state: 'due',
        last_error: 'the delivery has the id of an evaluation but carries a different message',
      });
    expect((await kept(one({ alert }), taking))[1]).toMatchObject({ state: 'sent' });
  });

  test('a policy event counts as sent if no channel accepts it', async () => {
    const policy = { name: 'p' } as unknown as NonNullable<Delivery['policy']>;
    const taking = { ...plain, sendPolicyEvent: async () => ({ id: '1' }) };
    expect((await kept(one({ policy }), taking))[1]).toMatchObject({ state: 'sent', receipt: { id: '1' } });
    expect((await kept(one({ policy }), undefined))[1]).toMatchObject({ state: 'sent', receipt: {} });
  });

  test('[evaluation.webhook] the text of an evaluated call is deleted from the store once it is sent or abandoned', async () => {
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
