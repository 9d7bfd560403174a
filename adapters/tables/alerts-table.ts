/**
 * Alerts [alert.lifecycle]: one row per key (type, dimension, metric) with its newest alert, and separate rows for
 * earlier alerts. Access patterns: all alerts in a scope; the newest alert for a key; the open alerts in all scopes
 * (by_open); a write conditional on the revision that was read. The ledger writes state changes in the same transaction
 * as their evidence entry.
 */
import type { AlertRow } from '#core/contracts/alert.ts';
import type { AlertStore } from '#core/operations/alerts/ports.ts';
import { openAlerts, toStored } from './alert-puts.ts';
import { fromCursor, toCursor } from './cursors.ts';
import { rowsByKey } from './rows-by-key.ts';
import { allRows, type IndexAttributes, ifUnchanged, type StoreOptions } from './store.ts';

type StoredAlert = AlertRow & IndexAttributes<'id' | 'ttl' | 'open_in' | 'opened_at'>;

function toRow({ id: _id, ttl: _ttl, open_in: _in, opened_at: _at, ...row }: StoredAlert): AlertRow {
  return row;
}

export const alertsTable = ({ store }: StoreOptions): AlertStore => ({
  list: async (scope) => (await allRows<StoredAlert>(store, 'alerts', { partition: scope })).map(toRow),

  async get(scope, key) {
    const row = await store.get<StoredAlert>('alerts', { scope, id: key });
    return row && toRow(row);
  },

  async open({ limit, cursor }) {
    const after = fromCursor(cursor, ['scope', 'id', 'open_in', 'opened_at']);
    const order = 'descending';
    const { rows, next } = await store.query('alerts', {
      index: 'by_open',
      partition: openAlerts,
      order,
      limit,
      after,
    });
    const following = toCursor(next);
    const items = (await rowsByKey<StoredAlert>(store, 'alerts', rows)).map(toRow);
    return {
      items: items.filter(({ alert }) => alert.state !== 'resolved'),
      ...(following !== undefined && { cursor: following }),
    };
  },

  note: async (row, read) => (await store.put('alerts', toStored(row), { if: ifUnchanged(read) })).written,
});
