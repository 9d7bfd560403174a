/**
 * Provenance of sessions in DynamoDB: keyed digests, no text.
 *
 * Items, by `session` (tenant#session) and `entry`: `#head` with the session's key, the count of its digests and
 * whether some were left out; `r#<envelope_id>` a result, `w#<digest>` words. Access patterns: all of a session
 * (consistent Query), open and grow (Update of the head), put once. `expires_at` is compared, TTL removes items.
 */

import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { ProvenanceStore, SeenEntry, SessionName } from '#core/session/sources/ports.ts';
import { fromItem, storeDown, stored, toItem } from './items.ts';
import { queried } from './query-pages.ts';
import type { StoreOptions } from './store-options.ts';

const head = '#head';
const partition = ({ tenant, session }: SessionName): string => `${tenant}#${session}`;
const seconds = (ms: number): number => Math.ceil(ms / 1000);

export function provenanceTable({ client, tables }: StoreOptions): ProvenanceStore {
  const TableName = tables.provenance;
  const updateHead = async (name: SessionName, UpdateExpression: string, values: Record<string, unknown>) => {
    const update = new UpdateItemCommand({
      TableName,
      Key: toItem({ session: partition(name), entry: head }),
      UpdateExpression,
      ExpressionAttributeNames: { '#ttl': 'ttl', ...(UpdateExpression.includes('#key') && { '#key': 'key' }) },
      ExpressionAttributeValues: toItem(values),
      ReturnValues: 'ALL_NEW',
    });
    return fromItem((await stored(client.send(update))).Attributes ?? {});
  };
  return {
    async recall(name, nowMs) {
      const rows: Record<string, unknown>[] = [];
      const input = {
        TableName,
        KeyConditionExpression: '#session = :session',
        ExpressionAttributeNames: { '#session': 'session' },
        ExpressionAttributeValues: toItem({ ':session': partition(name) }),
        ConsistentRead: true,
      };
      for await (const item of queried(client, input)) rows.push(fromItem(item));
      const first = rows.find(({ entry }) => entry === head);
      if (!first || Number(first.expires_at) <= nowMs) return undefined;
      const entries = rows.filter(({ entry, expires_at }) => entry !== head && Number(expires_at) > nowMs);
      // Entries put when the record was opened have expired, so the oldest are missing.
      const aged = Number(first.oldest_until) <= nowMs;
      return { key: String(first.key), entries: entries.map(entryOf), gap: first.gap === true || aged };
    },
    async open(name, key, nowMs, keptSeconds) {
      const until = nowMs + keptSeconds * 1000;
      const found = await updateHead(
        name,
        'SET #key = if_not_exists(#key, :key), oldest_until = if_not_exists(oldest_until, :until), expires_at = :until, #ttl = :ttl',
        { ':key': key, ':until': until, ':ttl': seconds(until) },
      );
      return { key: String(found.key), digests: Number(found.digests ?? 0) };
    },
    async put(name, { id, ...entry }, nowMs, keptSeconds) {
      const until = nowMs + keptSeconds * 1000;
      const Item = toItem({ session: partition(name), entry: id, ...entry, expires_at: until, ttl: seconds(until) });
      try {
        await client.send(new PutItemCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(entry)' }));
        return true;
      } catch (cause) {
        if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
        throw storeDown(cause);
      }
    },
    async grow(name, { digests, gap }, nowMs, keptSeconds) {
      const until = nowMs + keptSeconds * 1000;
      const noted = gap ? ', gap = :gap' : '';
      await updateHead(name, `SET expires_at = :until, #ttl = :ttl${noted} ADD digests :more`, {
        ':until': until,
        ':ttl': seconds(until),
        ':more': digests,
        ...(gap && { ':gap': true }),
      });
    },
  };
}

function entryOf({ entry, label, server, action, digests }: Record<string, unknown>): SeenEntry {
  return {
    id: String(entry),
    label: String(label),
    ...(server !== undefined && { server: String(server) }),
    ...(action !== undefined && { action: String(action) }),
    digests: digests as Uint8Array,
  };
}
