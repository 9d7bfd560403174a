/**
 * Messages to the process that holds a stream of the older HTTP+SSE transport, in the table of MCP sessions.
 *
 * One item per stream, `stream#<id>`: its owner, and the messages not yet taken, by growing ids. Access patterns: open
 * (Put), post (Update under conditions), take (consistent Get, then Update that removes what was read, by id), close
 * (Put that expires it: items are not deleted; TTL removes them). The client may repeat each without further effect.
 */

import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type Clock, type Ids, isoTime } from '#core/kernel/ports.ts';
import type { StreamInboxes } from '#core/mcp/http-sse.ts';
import { fromItem, storeDown, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

interface StreamInboxesOptions extends StoreOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
}

/** Maximum size of all pending messages; an item has at most 400 kB. */
const maxBytes = 350 * 1024;
const maxWaiting = 64;

export function streamInboxes({ client, tables, clock, ids }: StreamInboxesOptions): StreamInboxes {
  const TableName = tables.mcp;
  const keyOf = (id: string) => toItem({ id: `stream#${id}` });
  const put = (id: string, item: Readonly<Record<string, unknown>>, expires_at: string) => {
    const ttl = Math.ceil(Date.parse(expires_at) / 1000);
    const Item = { ...keyOf(id), ...toItem({ ...item, expires_at, ttl }) };
    return stored(client.send(new PutItemCommand({ TableName, Item })));
  };
  return {
    async open(id, { tenant, key_id }, expires_at) {
      await put(id, { tenant, key_id, messages: {} }, expires_at);
    },

    async post(id, { tenant, key_id }, message) {
      if (Buffer.byteLength(message) > maxBytes) return 'full';
      const command = new UpdateItemCommand({
        TableName,
        Key: keyOf(id),
        UpdateExpression: 'SET messages.#id = :message',
        ExpressionAttributeNames: { '#id': ids.uuid() },
        ConditionExpression: 'tenant = :tenant AND key_id = :key AND expires_at > :now AND size(messages) < :most',
        ExpressionAttributeValues: toItem({
          ':message': message,
          ':tenant': tenant,
          ':key': key_id,
          ':now': isoTime(clock.now()),
          ':most': maxWaiting,
        }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      try {
        await client.send(command);
        return 'kept';
      } catch (cause) {
        const { message: why = '', Item } = cause as Error & { Item?: Parameters<typeof fromItem>[0] };
        // The whole item would be too large.
        if (isErrorNamed(cause, 'ValidationException') && /size/i.test(why)) return 'full';
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
        const found = Item && fromItem(Item);
        const own = found?.tenant === tenant && found.key_id === key_id;
        return own && String(found.expires_at) > isoTime(clock.now()) ? 'full' : 'unknown';
      }
    },

    async take(id) {
      const { Item } = await stored(
        client.send(new GetItemCommand({ TableName, Key: keyOf(id), ConsistentRead: true })),
      );
      const waiting = Object.entries((Item && fromItem(Item).messages) ?? {}) as [string, string][];
      if (waiting.length === 0) return [];
      const names = Object.fromEntries(waiting.map(([message], n) => [`#m${n}`, message]));
      const UpdateExpression = `REMOVE ${Object.keys(names)
        .map((name) => `messages.${name}`)
        .join(', ')}`;
      const update = { TableName, Key: keyOf(id), UpdateExpression, ExpressionAttributeNames: names };
      await stored(client.send(new UpdateItemCommand(update)));
      return waiting.sort(([a], [b]) => (a < b ? -1 : 1)).map(([message, text]) => ({ id: message, text }));
    },

    async close(id) {
      await put(id, {}, isoTime(0));
    },
  };
}
