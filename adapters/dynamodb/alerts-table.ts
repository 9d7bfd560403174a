/**
 * Alerts in DynamoDB [alert.lifecycle]: one row per key (type, dimension, metric) with its newest alert, and separate
 * rows for earlier ones.
 *
 * Access patterns: all of a scope (consistent Query), the newest of a key (consistent Get), a write under the revision
 * that was read; the ledger writes changes of state in the transaction of their evidence entry.
 */
import { GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { AlertRow } from '#core/contracts/alert.ts';
import type { AlertStore } from '#core/operations/alerts/ports.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';
import { ifUnchanged, putRevision } from './put-revision.ts';
import { queried } from './query-pages.ts';
import type { StoreOptions } from './store-options.ts';

const keptSeconds = 30 * 24 * 3600;

const ttlOf = ({ evaluated }: AlertRow): number => Math.floor(Date.parse(`${evaluated}:00Z`) / 1000) + keptSeconds;

const toAlertItem = (row: AlertRow): Item => toItem({ ...row, id: row.key, ttl: ttlOf(row) });

function toRow(item: Item): AlertRow {
  const { id: _id, ttl: _ttl, ...row } = fromItem<AlertRow & Beside<'id' | 'ttl'>>(item);
  return row;
}

/** Puts the row if it is unchanged since it was read. A replaced alert is kept under its own number. */
export function alertPutItems(
  TableName: string,
  { row, before }: { readonly row: AlertRow; readonly before?: AlertRow },
): TransactWriteItem[] {
  const put: TransactWriteItem = { Put: { TableName, Item: toAlertItem(row), ...ifUnchanged(before) } };
  if (!before || before.number === row.number) return [put];
  const former = { ...toAlertItem(before), ...toItem({ id: `${before.key}-${before.number}` }) };
  return [put, { Put: { TableName, Item: former } }];
}

export function alertsTable({ client, tables }: StoreOptions): AlertStore {
  const TableName = tables.alerts;
  return {
    async list(scope) {
      const rows: AlertRow[] = [];
      const input = {
        TableName,
        KeyConditionExpression: '#scope = :scope',
        ExpressionAttributeNames: { '#scope': 'scope' },
        ExpressionAttributeValues: toItem({ ':scope': scope }),
        ConsistentRead: true,
      };
      for await (const item of queried(client, input)) rows.push(toRow(item));
      return rows;
    },

    async get(scope, key) {
      const Key = toItem({ scope, id: key });
      const { Item } = await stored(client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })));
      return Item && toRow(Item);
    },

    note: (row, read) => putRevision(client, { TableName, Item: toAlertItem(row) }, read),
  };
}
