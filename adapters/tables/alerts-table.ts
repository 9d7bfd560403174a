/**
 * Alerts [alert.lifecycle]: one row per key (type, dimension, metric) with its newest alert, and separate rows for
 * earlier ones.
 *
 * Access patterns: all of a scope, the newest of a key, a write under the revision that was read; the ledger writes
 * changes of state in the transaction of their evidence entry.
 */
import type { AlertRow } from '#core/contracts/alert.ts';
import type { AlertStore } from '#core/operations/alerts/ports.ts';
import { allRows, type Beside, ifUnchanged, type Row, type StoreOptions, type Write } from './store.ts';

const keptSeconds = 30 * 24 * 3600;

const ttlOf = ({ evaluated }: AlertRow): number => Math.floor(Date.parse(`${evaluated}:00Z`) / 1000) + keptSeconds;

const toStored = (row: AlertRow): Row => ({ ...row, id: row.key, ttl: ttlOf(row) });

function toRow({ id: _id, ttl: _ttl, ...row }: AlertRow & Beside<'id' | 'ttl'>): AlertRow {
  return row;
}

/** Puts the row if it is unchanged since it was read. A replaced alert is kept under its own number. */
export function alertPuts({ row, before }: { readonly row: AlertRow; readonly before?: AlertRow }): Write[] {
  const put: Write = { put: 'alerts', row: toStored(row), if: ifUnchanged(before) };
  if (!before || before.number === row.number) return [put];
  return [put, { put: 'alerts', row: { ...toStored(before), id: `${before.key}-${before.number}` } }];
}

export function alertsTable({ store }: StoreOptions): AlertStore {
  return {
    list: async (scope) => (await allRows<AlertRow>(store, 'alerts', { partition: scope })).map(toRow),

    async get(scope, key) {
      const row = await store.get<AlertRow>('alerts', { scope, id: key });
      return row && toRow(row);
    },

    note: async (row, read) => (await store.put('alerts', toStored(row), { if: ifUnchanged(read) })).written,
  };
}
