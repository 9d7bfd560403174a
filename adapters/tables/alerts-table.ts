/**
 * Alerts [alert.lifecycle]: one row per key (type, dimension, metric) with its newest alert, and separate rows for
 * earlier ones.
 *
 * Access patterns: all of a scope, the newest of a key, the open ones of all scopes (by_open), a write under the revision that was read; the ledger writes
 * changes of state in the transaction of their evidence entry.
 */
import type { AlertRow } from '#core/contracts/alert.ts';
import type { AlertStore } from '#core/operations/alerts/ports.ts';
import { fromCursor, toCursor } from './cursors.ts';
import { rowsByKey } from './rows-by-key.ts';
import { allRows, type Beside, ifUnchanged, type Row, type StoreOptions, type Write } from './store.ts';

const keptSeconds = 30 * 24 * 3600;

const ttlOf = ({ evaluated }: AlertRow): number => Math.floor(Date.parse(`${evaluated}:00Z`) / 1000) + keptSeconds;

/** Partition of the index that only open alerts are in. */
const open = 'open';

const toStored = (row: AlertRow): Row => ({
  ...row,
  id: row.key,
  ttl: ttlOf(row),
  ...(row.alert.state !== 'resolved' && { open_in: open, opened_at: row.alert.created_at }),
});

type Stored = AlertRow & Beside<'id' | 'ttl' | 'open_in' | 'opened_at'>;

function toRow({ id: _id, ttl: _ttl, open_in: _in, opened_at: _at, ...row }: Stored): AlertRow {
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
    list: async (scope) => (await allRows<Stored>(store, 'alerts', { partition: scope })).map(toRow),

    async get(scope, key) {
      const row = await store.get<Stored>('alerts', { scope, id: key });
      return row && toRow(row);
    },

    async open({ limit, cursor }) {
      const after = fromCursor(cursor, ['scope', 'id', 'open_in', 'opened_at']);
      const order = 'descending';
      const { rows, next } = await store.query('alerts', { index: 'by_open', partition: open, order, limit, after });
      const following = toCursor(next);
      const items = (await rowsByKey<Stored>(store, 'alerts', rows)).map(toRow);
      return {
        items: items.filter(({ alert }) => alert.state !== 'resolved'),
        ...(following !== undefined && { cursor: following }),
      };
    },

    note: async (row, read) => (await store.put('alerts', toStored(row), { if: ifUnchanged(read) })).written,
  };
}
