/**
 * Lists of due rows of all tenants: index `by_due` over 16 partitions `due#<n>`, keys only. A row with `due_in` is in
 * the list, and leaves it when that attribute is removed.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type OrderedRows, pageOf } from './in-order.ts';
import type { Item } from './items.ts';
import { rowsByKey } from './rows-by-key.ts';
import { partitionOf, partitionsOf, shards } from './shards.ts';

const list = 'due';

/** Returns the value of `due_in` for the row of this id. */
export const dueIn = (id: string): string => partitionOf(list, id, shards.due);

interface DueList {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Attribute with the time at which a row is due: an ISO time first, so that it sorts in time order. */
  readonly sortKey: string;
}

/** Returns the list as ordered rows, the longest due first. */
export const dueList = ({ client, table, sortKey }: DueList): Omit<OrderedRows, 'about'> => ({
  client,
  table,
  sortKey,
  index: 'by_due',
  partitionKey: 'due_in',
  order: 'ascending',
  partitions: partitionsOf(list, shards.due),
});

/**
 * Reads at most `limit` whole rows that are due by `now`, the longest due first, consistently. The index lags: the
 * caller skips rows that changed since.
 * @param keyNames attributes of the table's primary key.
 * @throws GatewayError `service_unavailable` if the store does not answer.
 */
export async function dueRows(
  source: DueList,
  keyNames: readonly string[],
  { now, limit }: { readonly now: string; readonly limit: number },
): Promise<Item[]> {
  const { rows } = await pageOf({ ...dueList(source), to: now }, limit);
  const keys = rows.map((row): Item => Object.fromEntries(keyNames.map((name) => [name, row[name]!])));
  return rowsByKey({ client: source.client, table: source.table, consistent: true }, keys);
}
