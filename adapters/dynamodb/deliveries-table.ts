/**
 * Notifications to send, in DynamoDB: durable until sent or dead.
 *
 * Access patterns: put if absent by id; due ones, oldest first (Query by_due per shard, which holds no others, then a
 * consistent BatchGet); dead ones of a tenant, newest first (Query by_due of `dead#<tenant>`, then a BatchGet); move on if unchanged (condition on attempts and due time); callbacks already seen (put if absent).
 */

import { GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { Delivery, DeliveryStore } from '#core/approvals/notifications/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { dueIn, dueRows } from './due-rows.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';
import { rowsByKey } from './rows-by-key.ts';
import type { StoreOptions } from './store-options.ts';

const keptSeconds = 30 * 24 * 3600;

/** Returns the index partition of dead deliveries, separate from the due ones, so that no worker reads it. */
const deadIn = (tenant: string): string => `dead#${tenant}`;

export const toDeliveryItem = ({ due_at, ...delivery }: Delivery): Item =>
  toItem({
    ...delivery,
    due: due_at,
    ...(delivery.state === 'due' && { due_in: dueIn(delivery.id) }),
    ...(delivery.state === 'dead' && { due_in: deadIn(delivery.tenant) }),
    ttl: Math.floor(Date.parse(due_at) / 1000) + keptSeconds,
  });

export function toDelivery(item: Item): Delivery {
  const {
    due,
    due_in: _in,
    ttl: _ttl,
    ...delivery
  } = fromItem<Delivery & Beside<'due_in' | 'ttl'> & { due: string }>(item);
  return { ...delivery, due_at: due };
}

export function deliveriesTable({ client, tables }: StoreOptions): DeliveryStore {
  const TableName = tables.deliveries;

  /** Puts an item. Returns false if its condition did not hold. */
  const putIf = async (item: Item, condition: { ConditionExpression: string } & object): Promise<boolean> => {
    try {
      await client.send(new PutItemCommand({ TableName, Item: item, ...condition }));
      return true;
    } catch (cause) {
      if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
      return stored(Promise.reject(cause));
    }
  };

  return {
    async enqueue(delivery) {
      await putIf(toDeliveryItem(delivery), { ConditionExpression: 'attribute_not_exists(id)' });
    },

    async get(id) {
      const { Item } = await stored(
        client.send(new GetItemCommand({ TableName, Key: toItem({ id }), ConsistentRead: true })),
      );
      return Item && toDelivery(Item);
    },

    async due(now, limit) {
      const list = { client, table: TableName, sortKey: 'due' };
      const deliveries = (await dueRows(list, ['id'], { now, limit })).map(toDelivery);
      // The index lags: deliveries sent or postponed since are not due.
      return deliveries.filter(({ state, due_at }) => state === 'due' && due_at <= now);
    },

    async dead(tenant, limit) {
      const query = new QueryCommand({
        TableName,
        IndexName: 'by_due',
        KeyConditionExpression: 'due_in = :tenant',
        ExpressionAttributeValues: toItem({ ':tenant': deadIn(tenant) }),
        ScanIndexForward: false,
        Limit: limit,
      });
      const { Items = [] } = await stored(client.send(query));
      const keys = Items.map(({ id }): Item => ({ id: id! }));
      return (await rowsByKey({ client, table: TableName, consistent: true }, keys)).map(toDelivery);
    },

    update: (before, after) =>
      putIf(toDeliveryItem(after), {
        ConditionExpression: '#state = :state AND #due = :due AND attempts = :attempts',
        ExpressionAttributeNames: { '#state': 'state', '#due': 'due' },
        ExpressionAttributeValues: toItem({
          ':state': before.state,
          ':due': before.due_at,
          ':attempts': before.attempts,
        }),
      } as { ConditionExpression: string }),

    seen: (callbackId, expiresAt) =>
      putIf(toItem({ id: `seen#${callbackId}`, ttl: Math.floor(Date.parse(expiresAt) / 1000) }), {
        ConditionExpression: 'attribute_not_exists(id)',
      }),
  };
}
