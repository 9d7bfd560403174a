/**
 * Files, batches and responses of callers in DynamoDB: owner = tenant#key, ids in time order. Rows are marked as
 * deleted, not removed.
 *
 * Access patterns: one of an owner (consistent Get); those of an owner by kind (Query, newest first); a whole row
 * (Put).
 */
import { GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { BatchOwner, BatchStore } from '#core/chat/batches/ports.ts';
import type { StoredBatch, StoredObject } from '#core/contracts/stored-batch.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** Time a deleted row is kept, so that a list that is being read does not lose its position. */
const keptSeconds = 7 * 24 * 3600;

const prefixes = { file: 'file-', batch: 'batch_' } as const;

const ownerOf = ({ tenant, key_id }: BatchOwner): string => `${tenant}#${key_id}`;

/** Providers keep a response for 30 days. */
const responseSeconds = 30 * 24 * 3600;

function toStored(item: Item): StoredObject {
  const { owner: _owner, ttl: _ttl, ...row } = fromItem<StoredObject & Beside<'owner' | 'ttl'>>(item);
  return row;
}

const ttlOf = ({ kind, created_at, deleted_at }: StoredObject): { readonly ttl?: number } =>
  deleted_at !== undefined
    ? { ttl: deleted_at + keptSeconds }
    : kind === 'response'
      ? { ttl: created_at + responseSeconds }
      : {};

export function batchesTable({ client, tables }: StoreOptions): BatchStore {
  const TableName = tables.batches;
  return {
    async get(owner, id) {
      const Key = toItem({ owner: ownerOf(owner), id });
      const { Item } = await stored(client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })));
      const row = Item && toStored(Item);
      return row?.deleted_at === undefined ? row : undefined;
    },

    async put(row) {
      const Item = toItem({ owner: ownerOf(row), ...row, ...ttlOf(row) });
      await stored(client.send(new PutItemCommand({ TableName, Item })));
    },

    async list(owner, kind, { limit, after, ascending = false }) {
      const items: StoredBatch[] = [];
      let start = after === undefined ? undefined : toItem({ owner: ownerOf(owner), id: after });
      do {
        const page = await stored(
          client.send(
            new QueryCommand({
              TableName,
              KeyConditionExpression: '#owner = :owner AND begins_with(id, :kind)',
              FilterExpression: 'attribute_not_exists(deleted_at)',
              ExpressionAttributeNames: { '#owner': 'owner' },
              ExpressionAttributeValues: toItem({ ':owner': ownerOf(owner), ':kind': prefixes[kind] }),
              ScanIndexForward: ascending,
              Limit: limit + 1,
              ...(start && { ExclusiveStartKey: start }),
            }),
          ),
        );
        items.push(...((page.Items ?? []).map(toStored) as StoredBatch[]));
        start = page.LastEvaluatedKey;
      } while (start && items.length <= limit);
      return { items: items.slice(0, limit), more: items.length > limit };
    },
  };
}
