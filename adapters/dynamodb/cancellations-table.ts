/**
 * Cancellations in DynamoDB.
 *
 * One item per call that a caller asked to cancel, `<tenant>#<key id>#<call>`; other calls have none. Access patterns:
 * request (Update), check (Get, eventually consistent once per second while a call runs; consistent by the requesting
 * process), take (Update of an existing item). TTL removes items.
 */
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { CallName, Cancellations } from '#core/execution/cancellation/ports.ts';
import { fromItem, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** Longer than any call runs. */
const keptSeconds = 3_600;

export function cancellationsTable({ client, tables }: StoreOptions): Cancellations {
  const TableName = tables.cancellations;
  const keyOf = ({ tenant, key_id, call }: CallName) => toItem({ id: `${tenant}#${key_id}#${call}` });
  const set = (name: CallName, UpdateExpression: string, values: Record<string, unknown>) =>
    stored(
      client.send(
        new UpdateItemCommand({
          TableName,
          Key: keyOf(name),
          UpdateExpression,
          ExpressionAttributeValues: toItem(values),
        }),
      ),
    );
  return {
    async ask(name, askedAt) {
      const ttl = Math.ceil(Date.parse(askedAt) / 1000) + keptSeconds;
      await set(name, 'SET asked_at = :at, expires = :ttl', { ':at': askedAt, ':ttl': ttl });
    },
    async asked(name, { consistent = false } = {}) {
      const get = new GetItemCommand({ TableName, Key: keyOf(name), ConsistentRead: consistent });
      const { Item } = await stored(client.send(get));
      if (!Item) return undefined;
      const { asked_at, taken } = fromItem(Item);
      return { asked_at: String(asked_at), taken: taken === true };
    },
    async take(name) {
      await set(name, 'SET taken = :yes', { ':yes': true });
    },
  };
}
