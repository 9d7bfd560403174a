/**
 * Started actions in DynamoDB: from their `allow` entry to their `result` entry, longer under an idempotency key.
 *
 * Access patterns: one row (consistent Get); overdue rows (Query by_due per shard, which omits ended ones, then a
 * consistent BatchGet). Rows change only inside `Ledger.commit`.
 */
import { GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { StartedActions } from '#core/actions/ports.ts';
import { idempotencyDays, type StartedAction } from '#core/contracts/started-action.ts';
import type { Change } from '#core/evidence/ports.ts';
import { dueIn, dueRows } from './due-rows.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

const dayS = 24 * 3600;
/** Lifetime of an open row. An approval used under an idempotency key ends its row long before that. */
const openSeconds = 30 * dayS;

const keyOf = (tenant: string, id: string): string => `${tenant}#${id}`;
const afterSeconds = (from: string, seconds: number): number => Math.floor(Date.parse(from) / 1000) + seconds;

export function actionStartItem(table: string, row: StartedAction): TransactWriteItem {
  const key = keyOf(row.tenant, row.id);
  const open = row.due_at === undefined ? { ttl: afterSeconds(row.started_at, openSeconds) } : { due_in: dueIn(key) };
  return {
    Put: {
      TableName: table,
      Item: toItem({ ...row, id: key, ...open }),
      ConditionExpression: 'attribute_not_exists(id) OR outcome = :nothing',
      ExpressionAttributeValues: toItem({ ':nothing': 'not_executed' }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** @param at when the `result` entry was written (ISO time). */
export function actionEndItem(
  table: string,
  { tenant, id, envelope_id, end }: Extract<Change, { type: 'action.end' }>,
  at: string,
): TransactWriteItem {
  const kept = id === envelope_id ? 3600 : idempotencyDays * dayS;
  const set = Object.entries({ ...end, ttl: afterSeconds(at, kept) }).filter(([, value]) => value !== undefined);
  return {
    Update: {
      TableName: table,
      Key: toItem({ id: keyOf(tenant, id) }),
      UpdateExpression: `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')} REMOVE due_in, due_at`,
      ConditionExpression: 'envelope_id = :envelope AND attribute_not_exists(outcome)',
      ExpressionAttributeNames: Object.fromEntries(set.map(([name]) => [`#${name}`, name])),
      ExpressionAttributeValues: toItem({
        ':envelope': envelope_id,
        ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

export function toStartedAction(item: Item): StartedAction {
  const { ttl: _ttl, due_in: _in, ...row } = fromItem<StartedAction & Beside<'ttl' | 'due_in'>>(item);
  return { ...row, id: row.id.slice(row.tenant.length + 1) };
}

export function actionsTable({ client, tables }: StoreOptions): StartedActions {
  const TableName = tables.actions;

  return {
    async get(tenant, id) {
      const request = new GetItemCommand({ TableName, Key: toItem({ id: keyOf(tenant, id) }), ConsistentRead: true });
      const { Item } = await stored(client.send(request));
      return Item && toStartedAction(Item);
    },

    async due(now, limit) {
      const list = { client, table: TableName, sortKey: 'due_at' };
      const actions = (await dueRows(list, ['id'], { now, limit })).map(toStartedAction);
      // The index lags: rows that have ended since are not due.
      return actions.filter(({ due_at }) => due_at !== undefined && due_at <= now);
    },
  };
}
