/**
 * Started actions in DynamoDB: from their `allow` entry to their `result` entry, longer under an idempotency key.
 *
 * Access patterns: one row (consistent Get); those whose time has passed (Query by_due, one partition a shard, which holds no
 * ended ones). Rows change only inside `Ledger.commit`.
 */
import { GetItemCommand, QueryCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { StartedActions } from '#core/actions/ports.ts';
import { idempotencyDays, type StartedAction } from '#core/contracts/started-action.ts';
import type { Change } from '#core/evidence/ports.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { StoreOptions } from './evidence-table.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';

/** Partitions of `by_due`: one takes 1,000 writes a second. */
const shards = Array.from({ length: 16 }, (_, shard) => `due#${shard.toString(16)}`);
const dayS = 24 * 3600;
/** An approval that is used under an idempotency key ends its row long before that. */
const openSeconds = 30 * dayS;

const keyOf = (tenant: string, id: string): string => `${tenant}#${id}`;
const shardOf = (key: string): string => `due#${sha256(key)[0]}`;
const afterSeconds = (from: string, seconds: number): number => Math.floor(Date.parse(from) / 1000) + seconds;

export function actionStartItem(table: string, row: StartedAction): TransactWriteItem {
  const key = keyOf(row.tenant, row.id);
  const open = row.due_at === undefined ? { ttl: afterSeconds(row.started_at, openSeconds) } : { due: shardOf(key) };
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
      UpdateExpression: `SET ${set.map(([name]) => `#${name} = :${name}`).join(', ')} REMOVE #due, due_at`,
      ConditionExpression: 'envelope_id = :envelope AND attribute_not_exists(outcome)',
      ExpressionAttributeNames: { '#due': 'due', ...Object.fromEntries(set.map(([name]) => [`#${name}`, name])) },
      ExpressionAttributeValues: toItem({
        ':envelope': envelope_id,
        ...Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

export function toStartedAction(item: Item): StartedAction {
  const { ttl: _ttl, due: _due, ...row } = fromItem(item) as unknown as StartedAction & { ttl?: number; due?: string };
  return { ...row, id: row.id.slice(row.tenant.length + 1) };
}

export function actionsTable({ client, tables }: StoreOptions): StartedActions {
  const TableName = tables.actions;

  const dueIn = async (shard: string, now: string, limit: number): Promise<readonly StartedAction[]> => {
    const page = await stored(
      client.send(
        new QueryCommand({
          TableName,
          IndexName: 'by_due',
          KeyConditionExpression: '#due = :due AND due_at <= :now',
          ExpressionAttributeNames: { '#due': 'due' },
          ExpressionAttributeValues: toItem({ ':due': shard, ':now': now }),
          Limit: limit,
        }),
      ),
    );
    return (page.Items ?? []).map(toStartedAction);
  };

  return {
    async get(tenant, id) {
      const request = new GetItemCommand({ TableName, Key: toItem({ id: keyOf(tenant, id) }), ConsistentRead: true });
      const { Item } = await stored(client.send(request));
      return Item && toStartedAction(Item);
    },

    async due(now, limit) {
      const pages = await Promise.all(shards.map((shard) => dueIn(shard, now, limit)));
      return pages.flat();
    },
  };
}
