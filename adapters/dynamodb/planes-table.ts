/**
 * Data planes in DynamoDB [federation.planes]: one partition per plane, with its last status and one item per reported
 * chain.
 *
 * Access patterns: the status of planes by name (consistent BatchGet), heads by tenant and session (consistent
 * BatchGet), heads in the order of their keys (Query), a status under the revision that was read, heads one by one (a
 * report raises few of them).
 */
import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb';
import type { KnownHead, PlaneRow } from '#core/contracts/federation.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { HeadKey, PlaneStore } from '#core/operations/federation/ports.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';
import { putRevision } from './put-revision.ts';
import type { StoreOptions } from './store-options.ts';

const statusId = 'status';
const headPrefix = 'head#';
/** Returns the id of a head. Ids of tenants and sessions do not contain the separator. */
const headId = ({ tenant, session_id }: HeadKey): string => `${headPrefix}${tenant}#${session_id}`;
/** Maximum number of keys per BatchGet. */
const batchGetSize = 100;
const putConcurrency = 10;
/** Maximum number of requests for one batch, if parts of it come back unprocessed. */
const maxTries = 8;

const toStatus = (item: Item): PlaneRow => JSON.parse((fromItem(item) as { row: string }).row) as PlaneRow;
const toHead = (item: Item): KnownHead => JSON.parse((fromItem(item) as { head: string }).head) as KnownHead;

export function planesTable({ client, tables }: StoreOptions): PlaneStore {
  const TableName = tables.federation;
  const statusKey = (plane: string): Item => toItem({ plane, id: statusId });
  return {
    list: async (names) => (await getAll(client, TableName, names.map(statusKey))).map(toStatus),

    async get(plane) {
      const input = { TableName, Key: statusKey(plane), ConsistentRead: true };
      const { Item } = await stored(client.send(new GetItemCommand(input)));
      return Item && toStatus(Item);
    },

    async put(row, read) {
      const Item = { ...statusKey(row.plane), ...toItem({ row: JSON.stringify(row), revision: row.revision }) };
      return putRevision(client, { TableName, Item }, read);
    },

    heads: async (plane, sessions) => {
      const ids = [...new Set(sessions.map(headId))];
      return (
        await getAll(
          client,
          TableName,
          ids.map((id) => toItem({ plane, id })),
        )
      ).map(toHead);
    },

    async putHeads(plane, heads) {
      await sideBySide(heads, putConcurrency, async (head) => {
        const Item = toItem({ plane, id: headId(head), head: JSON.stringify(head) });
        await stored(client.send(new PutItemCommand({ TableName, Item })));
      });
    },

    async walk(plane, cursor, limit) {
      const { Items = [], LastEvaluatedKey } = await stored(
        client.send(
          new QueryCommand({
            TableName,
            KeyConditionExpression: 'plane = :plane AND begins_with(id, :head)',
            ExpressionAttributeValues: toItem({ ':plane': plane, ':head': headPrefix }),
            ConsistentRead: true,
            Limit: limit,
            ...(cursor !== undefined && { ExclusiveStartKey: toItem({ plane, id: cursor }) }),
          }),
        ),
      );
      const next = LastEvaluatedKey?.id?.S;
      return { heads: Items.map(toHead), ...(next !== undefined && { next }) };
    },
  };
}

async function getAll(client: DynamoDBClient, TableName: string, keys: readonly Item[]): Promise<Item[]> {
  const found: Item[] = [];
  for (let from = 0; from < keys.length; from += batchGetSize) {
    let Keys: Item[] = keys.slice(from, from + batchGetSize);
    for (let tries = 0; Keys.length > 0; tries++) {
      if (tries === maxTries) throw new Error(`${Keys.length} rows of ${TableName} were not read in ${maxTries} tries`);
      const { Responses, UnprocessedKeys } = await stored(
        client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } })),
      );
      found.push(...((Responses?.[TableName] ?? []) as Item[]));
      Keys = (UnprocessedKeys?.[TableName]?.Keys ?? []) as Item[];
    }
  }
  return found;
}
