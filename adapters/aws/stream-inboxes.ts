/**
 * Messages on their way to the process that holds a stream of the older HTTP+SSE transport, in the table of MCP sessions.
 *
 * One item a stream, `stream#<id>`: whose it is, and the messages that were not taken yet, oldest first.
 * Access patterns: open (Put), post (Update under conditions), take (consistent Get, then Update that removes what was
 * read: what was added meanwhile stands behind it), close (Put that expires it: nothing is deleted; TTL tidies).
 */
import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { StreamInboxes } from '#core/mcp/older-sse.ts';
import type { StoreOptions } from './evidence-table.ts';
import { fromItem, storeDown, stored, toItem } from './items.ts';

/** Of all that waits; an item has at most 400 kB. */
const mostBytes = 350 * 1024;
const mostWaiting = 64;

export function streamInboxes({ client, tables, clock }: StoreOptions & { readonly clock: Clock }): StreamInboxes {
  const TableName = tables.mcp;
  const keyOf = (id: string) => toItem({ id: `stream#${id}` });
  const put = (id: string, item: Readonly<Record<string, unknown>>, expires_at: string) => {
    const ttl = Math.ceil(Date.parse(expires_at) / 1000);
    const Item = { ...keyOf(id), ...toItem({ ...item, expires_at, ttl }) };
    return stored(client.send(new PutItemCommand({ TableName, Item })));
  };
  return {
    async open(id, { tenant, key_id }, expires_at) {
      await put(id, { tenant, key_id, messages: [] }, expires_at);
    },

    async post(id, { tenant, key_id }, message) {
      if (Buffer.byteLength(message) > mostBytes) return 'full';
      const command = new UpdateItemCommand({
        TableName,
        Key: keyOf(id),
        UpdateExpression: 'SET messages = list_append(messages, :message)',
        ConditionExpression: 'tenant = :tenant AND key_id = :key AND expires_at > :now AND size(messages) < :most',
        ExpressionAttributeValues: toItem({
          ...{ ':message': [message], ':tenant': tenant, ':key': key_id },
          ...{ ':now': isoTime(clock.now()), ':most': mostWaiting },
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        await client.send(command);
        return 'kept';
      } catch (cause) {
        const { name, message: why = '', Item } = cause as Error & { Item?: Parameters<typeof fromItem>[0] };
        // The item as a whole would be too large.
        if (name === 'ValidationException' && /size/i.test(why)) return 'full';
        if (name !== 'ConditionalCheckFailedException') throw storeDown(cause);
        const found = Item && fromItem(Item);
        const own = found?.tenant === tenant && found.key_id === key_id;
        return own && String(found.expires_at) > isoTime(clock.now()) ? 'full' : 'unknown';
      }
    },

    async take(id) {
      const { Item } = await stored(
        client.send(new GetItemCommand({ TableName, Key: keyOf(id), ConsistentRead: true })),
      );
      const messages = Item ? (fromItem(Item).messages as readonly string[] | undefined) : undefined;
      if (!messages || messages.length === 0) return [];
      const UpdateExpression = `REMOVE ${messages.map((_, n) => `messages[${n}]`).join(', ')}`;
      await stored(client.send(new UpdateItemCommand({ TableName, Key: keyOf(id), UpdateExpression })));
      return messages;
    },

    async close(id) {
      await put(id, {}, isoTime(0));
    },
  };
}
