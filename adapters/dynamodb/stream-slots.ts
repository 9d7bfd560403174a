/**
 * Open event streams of each key in DynamoDB, in the table of MCP sessions: functions share no memory.
 *
 * One item per key, `streams#<tenant>#<key>`: its open streams with their session and end, and the count of its writes.
 * Access patterns: take (consistent Get, then Put if no other process wrote since), give (Update that removes one
 * stream).
 */

import { GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { fullOf, type OpenStream, type StreamOwner, type StreamSlots } from '#core/mcp/sessions/event-streams.ts';
import { fromItem, storeDown, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

type SlotsById = Record<string, Pick<OpenStream, 'session' | 'until'>>;

const tries = 5;

export function streamSlots({ client, tables, clock }: StoreOptions & { readonly clock: Clock }): StreamSlots {
  const TableName = tables.mcp;
  const keyOf = ({ tenant, key_id }: StreamOwner) => toItem({ id: `streams#${tenant}#${key_id}` });
  const read = async (owner: StreamOwner) => {
    const get = new GetItemCommand({ TableName, Key: keyOf(owner), ConsistentRead: true });
    const { Item } = await stored(client.send(get));
    const { revision = 0, open = {} } = Item ? fromItem(Item) : {};
    return { revision: Number(revision), open: open as SlotsById };
  };
  const written = async (owner: StreamOwner, revision: number, open: SlotsById) => {
    const ttl = Math.max(...Object.values(open).map(({ until }) => Math.ceil(Date.parse(until) / 1000)));
    const put = new PutItemCommand({
      TableName,
      Item: { ...keyOf(owner), ...toItem({ revision: revision + 1, open, ttl }) },
      ConditionExpression: 'attribute_not_exists(id) OR revision = :known',
      ExpressionAttributeValues: toItem({ ':known': revision }),
    });
    try {
      await client.send(put);
      return true;
    } catch (cause) {
      if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
      throw storeDown(cause);
    }
  };
  return {
    async take(owner, { id, session, until }, most) {
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const { revision, open } = await read(owner);
        const now = isoTime(clock.now());
        const running: SlotsById = Object.fromEntries(Object.entries(open).filter(([, stream]) => stream.until > now));
        const full = fullOf(Object.values(running), session, most);
        if (full) return full;
        if (await written(owner, revision, { ...running, [id]: { session, until } })) return 'taken';
      }
      const message = `Too many streams of this key were opened at once: the gateway tried ${tries} times. Try again.`;
      throw new GatewayError('service_unavailable', message, { retryAfterSeconds: 1 });
    },

    async give(owner, id) {
      const update = new UpdateItemCommand({
        TableName,
        Key: keyOf(owner),
        UpdateExpression: 'REMOVE #open.#id ADD revision :one',
        ConditionExpression: 'attribute_exists(#open.#id)',
        ExpressionAttributeNames: { '#open': 'open', '#id': id },
        ExpressionAttributeValues: toItem({ ':one': 1 }),
      });
      await client.send(update).catch((cause: Error) => {
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
      });
    },
  };
}
