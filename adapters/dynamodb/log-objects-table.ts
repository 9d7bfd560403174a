/**
 * Objects of the transparency log in the table of its head, for gateways that share a store but no folder. Each is put
 * once and never changed.
 *
 * Items: `series` names the folder, `at` the object in it. The largest, a full tile of 256 leaves, takes a fifth of an
 * item's limit. Access patterns: put if absent; get (consistent); the names of a folder (consistent Query).
 */

import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { LogObjects } from '#core/evidence/transparency/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';
import type { logTable } from './log-table.ts';
import { queried } from './query-pages.ts';

const seriesOf = (tenant: string, folder: string): string => `log-objects#${tenant}#${folder}`;

function keyOf(tenant: string, path: string): Item {
  const cut = path.lastIndexOf('/');
  return toItem({ series: seriesOf(tenant, path.slice(0, cut)), at: path.slice(cut + 1) });
}

export function logObjectsTable({ client, tables }: Parameters<typeof logTable>[0]): LogObjects {
  const TableName = tables.observations;
  return {
    async put(tenant, path, bytes) {
      const Item = { ...keyOf(tenant, path), ...toItem({ bytes }) };
      const put = new PutItemCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(series)' });
      await stored(client.send(put).catch(unlessPresent));
    },

    async get(tenant, path) {
      const Key = keyOf(tenant, path);
      const { Item } = await stored(client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })));
      return Item && Buffer.from((fromItem(Item as Item) as { bytes: Uint8Array }).bytes);
    },

    async list(tenant, folder) {
      const names: string[] = [];
      const input = {
        TableName,
        ConsistentRead: true,
        KeyConditionExpression: 'series = :series',
        ExpressionAttributeValues: toItem({ ':series': seriesOf(tenant, folder) }),
        ProjectionExpression: '#at',
        ExpressionAttributeNames: { '#at': 'at' },
      };
      for await (const item of queried(client, input)) names.push((fromItem(item) as { at: string }).at);
      return names.sort();
    },
  };
}

/** Ignores the refusal to replace an object. */
function unlessPresent(cause: unknown): undefined {
  if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
}
