/**
 * Lists of due rows across all tenants: index `by_due` over 16 partitions `due#<n>`, keys only. A row is in the list
 * while it has the attribute `due_in`.
 */
import { type OrderedRows, pageOf } from './in-order.ts';
import { rowsByKey } from './rows-by-key.ts';
import { partitionOf, partitionsOf, shards } from './shards.ts';
import type { Row } from './store.ts';

const list = 'due';

/** Returns the value of `due_in` for the row with this id. */
export const dueIn = (id: string): string => partitionOf(list, id, shards.due);

/**
 * A table and its attribute for the time at which a row is due. The attribute begins with an ISO time, so that it sorts
 * chronologically.
 */
type DueList = Pick<OrderedRows, 'store' | 'table' | 'sortKey'>;

/** Returns the list as ordered rows, longest overdue first. */
export const dueList = (source: DueList): Omit<OrderedRows, 'about'> => ({
  ...source,
  index: 'by_due',
  order: 'ascending',
  partitions: partitionsOf(list, shards.due),
});

/**
 * Reads at most `limit` whole rows that are due by `now`, longest overdue first, with consistent reads. The index lags,
 * so the caller skips rows that have changed since.
 */
export async function dueRows<R extends object = Row>(
  source: DueList,
  { now, limit }: { readonly now: string; readonly limit: number },
): Promise<R[]> {
  const { rows } = await pageOf({ ...dueList(source), to: now }, limit);
  return rowsByKey<R>(source.store, source.table, rows);
}
