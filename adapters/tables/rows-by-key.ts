/** Reads whole rows by their keys, for indexes that hold keys only. */
import { keysOf } from './specs.ts';
import type { Key, Row, Store, StoreTable } from './store.ts';

/** Reads the rows in the order of their places in the index. Missing rows are left out. */
export async function rowsByKey<R extends object = Row>(
  store: Store,
  table: StoreTable,
  places: readonly object[],
  options: { readonly stale?: boolean } = {},
): Promise<R[]> {
  const { partitionKey, sortKey } = keysOf(table);
  const names = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  const keys = places.map((place): Key => Object.fromEntries(names.map((name) => [name, (place as Key)[name]!])));
  const rows = await store.getMany<R>(
    keys.map((key) => [table, key] as const),
    options,
  );
  return rows.filter((row) => row !== undefined);
}
