/** The delivery store over a store in memory. */
import { deliveriesTable } from '#adapters/tables/deliveries-table.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { downStore, testStore } from '../support/store.ts';

const freshStore = async () => deliveriesTable({ store: testStore() });

const delivery = (n: number, over: Partial<Delivery> = {}): Delivery => ({
  id: `e${n}#submitted#slack`,
  channel: 'slack',
  event: 'submitted',
  envelope_id: `e${n}`,
  tenant: 'default',
  attempts: 0,
  due_at: `2026-01-01T00:00:0${n}.000Z`,
  state: 'due',
  ...over,
});

describe('the delivery store', () => {
  test('keeps enqueued notifications, and the first of two with one id', async () => {
    const store = await freshStore();
    await store.enqueue(delivery(1));
    await store.enqueue(delivery(1, { tenant: 'other' }));
    expect(await store.get(delivery(1).id)).toEqual(delivery(1));
    expect(await store.get('nothing')).toBeUndefined();
  });

  test('returns due notifications, oldest first, up to now and up to the limit', async () => {
    const store = await freshStore();
    for (const n of [3, 1, 2, 4]) await store.enqueue(delivery(n));
    const ids = async (now: string, limit: number) =>
      (await store.due(now, limit)).map(({ envelope_id }) => envelope_id);
    expect(await ids('2026-01-01T00:00:03.000Z', 10)).toEqual(['e1', 'e2', 'e3']);
    expect(await ids('2026-01-01T00:00:09.000Z', 2)).toEqual(['e1', 'e2']);
    expect(await ids('2025-12-31T00:00:00.000Z', 10)).toEqual([]);
  });

  test('[cli.status] dead notifications are listed for their tenant, newest first; sent ones are not', async () => {
    const store = await freshStore();
    const states = [
      [1, 'dead', 'default'],
      [2, 'sent', 'default'],
      [3, 'dead', 'default'],
      [4, 'dead', 'other'],
    ] as const;
    for (const [n, state, tenant] of states) {
      await store.enqueue(delivery(n, { tenant }));
      await store.update(delivery(n, { tenant }), delivery(n, { tenant, state, attempts: 8, last_error: 'x' }));
    }
    const ids = async (tenant: string, limit: number) =>
      (await store.dead(tenant, limit)).map(({ envelope_id }) => envelope_id);
    expect(await ids('default', 10)).toEqual(['e3', 'e1']);
    expect(await ids('default', 1)).toEqual(['e3']);
    expect(await ids('other', 10)).toEqual(['e4']);
    expect(await ids('nobody', 10)).toEqual([]);
  });

  test('sent and dead notifications are no longer due', async () => {
    const store = await freshStore();
    for (const [n, state] of [
      [1, 'sent'],
      [2, 'dead'],
    ] as const) {
      await store.enqueue(delivery(n));
      const after = delivery(n, { state, attempts: 1, receipt: { ts: '1.0' }, last_error: 'x' });
      expect(await store.update(delivery(n), after)).toBe(true);
      expect(await store.get(after.id)).toEqual(after);
    }
    expect(await store.due('2027-01-01T00:00:00.000Z', 10)).toEqual([]);
  });

  test('of twenty that move one delivery on, one succeeds', async () => {
    const store = await freshStore();
    await store.enqueue(delivery(1));
    const moves = Array.from({ length: 20 }, (_, i) =>
      store.update(delivery(1), delivery(1, { attempts: 1, due_at: `2026-01-01T00:01:${10 + i}.000Z` })),
    );
    expect((await Promise.all(moves)).filter(Boolean)).toHaveLength(1);
  });

  test('moving a missing notification changes nothing', async () => {
    const store = await freshStore();
    expect(await store.update(delivery(1), delivery(1, { state: 'sent' }))).toBe(false);
    expect(await store.get(delivery(1).id)).toBeUndefined();
  });

  test('[slack.confirmed] a callback id is new once, also when twenty arrive at the same moment', async () => {
    const store = await freshStore();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => store.seen('trigger#1', '2026-01-01T00:15:00.000Z')),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await store.seen('trigger#2', '2026-01-01T00:15:00.000Z')).toBe(true);
    expect(await store.due('2027-01-01T00:00:00.000Z', 10)).toEqual([]);
  });

  test('a store that is down refuses', async () => {
    const store = deliveriesTable({ store: downStore() });
    await expect(store.enqueue(delivery(1))).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(store.seen('x', '2026-01-01T00:15:00.000Z')).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
