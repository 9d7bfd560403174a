/**
 * Bodies by SHA-256 in the store, for processes that share it but no folder: a policy version that one of them stored
 * is readable by all [shared.objects]. A table of the local run only; on AWS bodies are in a bucket.
 *
 * Items: `sha256` names the body; `part` is a piece of it, or `body`, which is put last and holds the number of pieces:
 * without it, the body is incomplete and not found.
 */
import { createHash } from 'node:crypto';
import { type DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { fromItem, type Item, stored, toItem } from '#adapters/dynamodb/items.ts';
import type { TableSpec } from '#core/contracts/tables.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';

export const objectsSpec: TableSpec = {
  holds: 'bodies by SHA-256 of gateways that share a store: policy versions, modules, large results',
  partitionKey: 'sha256',
  sortKey: 'part',
};

/** An item holds 400 kB. */
const partBytes = 350_000;
const last = 'body';
const partName = (at: number): string => String(at).padStart(8, '0');

export function objectsTable(client: DynamoDBClient, TableName: string): ObjectStore {
  const put = (item: object) => stored(client.send(new PutItemCommand({ TableName, Item: toItem(item) })));

  async function* pieces(sha256: string): AsyncIterable<Uint8Array> {
    let next: Item | undefined;
    do {
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName,
            ConsistentRead: true,
            KeyConditionExpression: 'sha256 = :sha256 AND part < :last',
            ExpressionAttributeValues: toItem({ ':sha256': sha256, ':last': last }),
            ...(next && { ExclusiveStartKey: next }),
          }),
        ),
      );
      for (const item of page.Items ?? []) yield (fromItem(item as Item) as { bytes: Uint8Array }).bytes;
      next = page.LastEvaluatedKey as Item | undefined;
    } while (next);
  }

  async function isThere(sha256: string): Promise<boolean> {
    const Key = toItem({ sha256, part: last });
    return (await stored(client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })))).Item !== undefined;
  }

  return {
    async put(bytes) {
      const sha256 = digestOf(bytes);
      if (await isThere(sha256)) return sha256;
      for (let at = 0; at * partBytes < bytes.byteLength; at++)
        await put({ sha256, part: partName(at), bytes: bytes.subarray(at * partBytes, (at + 1) * partBytes) });
      await put({ sha256, part: last, size: bytes.byteLength });
      return sha256;
    },
    async get(sha256) {
      if (!/^[0-9a-f]{64}$/.test(sha256) || !(await isThere(sha256))) return undefined;
      const found: Uint8Array[] = [];
      for await (const piece of pieces(sha256)) found.push(piece);
      const bytes = Buffer.concat(found);
      if (digestOf(bytes) !== sha256)
        throw new Error(
          `Object ${sha256} was changed in the store: its content has another digest. Restore it from a copy.`,
        );
      return bytes;
    },
  };
}

/**
 * Returns a store that also reads bodies from the own folder of an earlier release, and then copies them into the
 * store.
 */
export const sharedObjects = (store: ObjectStore, folder: ObjectStore): ObjectStore => ({
  put: (bytes) => store.put(bytes),
  async get(sha256) {
    const found = await store.get(sha256);
    if (found) return found;
    const own = await folder.get(sha256);
    if (own) await store.put(own);
    return own;
  },
});

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
