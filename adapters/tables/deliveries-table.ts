/**
 * Notifications to send, stored durably until sent or dead. Access patterns: put if absent by id; due notifications,
 * oldest first (index by_due per shard, which contains only those, then the rows); a tenant's dead ones, newest first
 * (index by_due of `dead#<tenant>`, then the rows); move on if unchanged (condition on attempts and due time);
 * callbacks already seen (put if absent).
 */
import type { Delivery, DeliveryStore } from '#core/approvals/notifications/ports.ts';
import { dueIn, dueRows } from './due-rows.ts';
import { rowsByKey } from './rows-by-key.ts';
import type { IndexAttributes, Row, StoreOptions } from './store.ts';

const keptSeconds = 30 * 24 * 3600;

/** Returns the index partition for dead deliveries. It is separate from the due ones, so that no worker reads it. */
const deadIn = (tenant: string): string => `dead#${tenant}`;

export const toDeliveryRow = ({ due_at, ...delivery }: Delivery): Row => ({
  ...delivery,
  due: due_at,
  ...(delivery.state === 'due' && { due_in: dueIn(delivery.id) }),
  ...(delivery.state === 'dead' && { due_in: deadIn(delivery.tenant) }),
  ttl: Math.floor(Date.parse(due_at) / 1000) + keptSeconds,
});

export function toDelivery(row: Row): Delivery {
  const {
    due,
    due_in: _in,
    ttl: _ttl,
    ...delivery
  } = row as unknown as Delivery & IndexAttributes<'due_in' | 'ttl'> & { due: string };
  return { ...delivery, due_at: due };
}

export function deliveriesTable({ store }: StoreOptions): DeliveryStore {
  return {
    async enqueue(delivery) {
      await store.put('deliveries', toDeliveryRow(delivery), { if: { absent: 'id' } });
    },

    async get(id) {
      const row = await store.get('deliveries', { id });
      return row && toDelivery(row);
    },

    async due(now, limit) {
      const list = { store, table: 'deliveries', sortKey: 'due' } as const;
      const deliveries = (await dueRows(list, { now, limit })).map(toDelivery);
      // The index lags, so deliveries sent or postponed since are not due.
      return deliveries.filter(({ state, due_at }) => state === 'due' && due_at <= now);
    },

    async dead(tenant, limit) {
      const partition = deadIn(tenant);
      const { rows } = await store.query<{ id: string }>('deliveries', {
        index: 'by_due',
        partition,
        order: 'descending',
        limit,
      });
      return (await rowsByKey(store, 'deliveries', rows)).map(toDelivery);
    },

    async update(before, after) {
      const unchanged = [
        { equals: ['state', before.state] },
        { equals: ['due', before.due_at] },
        { equals: ['attempts', before.attempts] },
      ] as const;
      return (await store.put('deliveries', toDeliveryRow(after), { if: { all: unchanged } })).written;
    },

    async seen(callbackId, expiresAt) {
      const row = { id: `seen#${callbackId}`, ttl: Math.floor(Date.parse(expiresAt) / 1000) };
      return (await store.put('deliveries', row, { if: { absent: 'id' } })).written;
    },
  };
}
