/**
 * Evidence and session heads in DynamoDB.
 *
 * Access patterns: entries of a chain in order (Query chain); entries of a tenant by time (Query by_time per day and
 * shard, newest day first, then BatchGet); head of a session (consistent Get); sessions of a tenant (Query by_opened
 * per shard, then a consistent BatchGet). Both indexes hold keys only, so that a further entry of a session does not
 * write `by_opened`.
 */

import { DeleteItemCommand, GetItemCommand, PutItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { storedEntry } from '#core/evidence/entry-text.ts';
import type { AuditFilter, EvidenceLog, EvidenceRows, ManifestStore, SessionHead } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { Page } from '#core/kernel/page.ts';
import { sharedReads } from './grouped-reads.ts';
import { cursorAt, inOrder, pageOf, placeAt } from './in-order.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';
import { queried } from './query-pages.ts';
import { rowsByKey } from './rows-by-key.ts';
import { partitionOf, partitionsOf, shardOf, shards } from './shards.ts';
import type { StoreOptions } from './store-options.ts';
import { dayKey, placeOf } from './time-index.ts';

const chainKey = (tenant: string, session: string) => `${tenant}#${session}`;
const position = (index: number) => String(index).padStart(12, '0');

const entryKey = (entry: EvidenceEntry) => ({
  chain: chainKey(entry.tenant, entry.session_id),
  position: position(entry.index),
});

/** Returns the parameters to read an entry by its position, whichever process wrote it. */
export const entryGet = (TableName: string, entry: EvidenceEntry) => ({
  TableName,
  Key: toItem(entryKey(entry)),
  ConsistentRead: true,
});

/**
 * Puts an entry if absent. Its text is stored verbatim, so that the hashed bytes are the bytes read.
 * @param writer names the writing call, so that identical texts of two calls are distinguished.
 * @param text the entry's canonical text.
 */
export function entryPutItem(
  tableName: string,
  entry: EvidenceEntry,
  writer: string,
  text = canonicalize(entry),
): TransactWriteItem {
  return {
    Put: {
      TableName: tableName,
      Item: {
        chain: { S: chainKey(entry.tenant, entry.session_id) },
        position: { S: position(entry.index) },
        writer: { S: writer },
        day: { S: dayKey(entry.tenant, entry.timestamp.slice(0, 10), shardOf(entry.hash, shards.time)) },
        at: { S: placeOf(entry) },
        entry: { S: text },
      },
      ConditionExpression: 'attribute_not_exists(chain)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD', // returns who wrote it
    },
  };
}

/** Returns the key of a session's head. Names of sessions and tenants contain no `#`. */
export const headKey = (tenant: string, session: string): Item => toItem({ id: chainKey(tenant, session) });

/** Advances a head if it is unchanged since it was read, and has the same owner. */
export function headPutItem(tableName: string, before: SessionHead | undefined, after: SessionHead): TransactWriteItem {
  const { tenant, session_id, ...rest } = after;
  const owner = before?.owner_key;
  return {
    Put: {
      TableName: tableName,
      Item: {
        ...headKey(tenant, session_id),
        ...toItem({
          tenant,
          session: session_id,
          opened_in: partitionOf(tenant, session_id, shards.opened),
          opened: `${after.opened_at}#${session_id}`,
          ...rest,
        }),
      },
      ...(before
        ? {
            ConditionExpression: `last_hash = :seen AND ${owner === undefined ? 'attribute_not_exists(owner_key)' : 'owner_key = :owner'}`,
            ExpressionAttributeValues: {
              ':seen': { S: before.last_hash },
              ...(owner !== undefined && { ':owner': { S: owner } }),
            },
          }
        : { ConditionExpression: 'attribute_not_exists(id)' }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

export function toHead(item: Item): SessionHead {
  const {
    id: _id,
    session,
    opened_in: _in,
    opened: _opened,
    ...rest
  } = fromItem<Omit<SessionHead, 'session_id'> & Beside<'id' | 'opened_in' | 'opened'> & { session: string }>(item);
  return { ...rest, session_id: session };
}

const entryOf = (item: Item): EvidenceEntry => storedEntry(item.entry?.S ?? '');

const manifestKey = (tenant: string, session: string, lastHash: string) => ({
  id: `${tenant}#manifest#${session}#${lastHash}`,
});

export function evidenceTable({ client, tables }: StoreOptions): EvidenceLog & EvidenceRows & ManifestStore {
  const readHead = sharedReads(client, tables.sessions);
  return {
    async head(tenant, sessionId) {
      const item = await readHead(headKey(tenant, sessionId));
      return item && toHead(item);
    },

    async *entries(tenant, sessionId, fromIndex = 0) {
      const items = queried(client, {
        TableName: tables.evidence,
        KeyConditionExpression: 'chain = :chain AND #position >= :from',
        ExpressionAttributeNames: { '#position': 'position' },
        ExpressionAttributeValues: toItem({
          ':chain': chainKey(tenant, sessionId),
          ':from': position(fromIndex),
        }),
        ConsistentRead: true,
      });
      for await (const item of items) yield entryOf(item);
    },

    async remove(entry) {
      try {
        await client.send(
          new DeleteItemCommand({
            TableName: tables.evidence,
            Key: toItem(entryKey(entry)),
            ConditionExpression: 'attribute_not_exists(chain) OR entry = :entry',
            ExpressionAttributeValues: toItem({ ':entry': canonicalize(entry) }),
          }),
        );
        return true;
      } catch (cause) {
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) return stored(Promise.reject(cause));
        return false;
      }
    },

    async sessions(tenant, { limit, cursor }): Promise<Page<SessionHead>> {
      const { rows, last } = await pageOf(
        {
          client,
          table: tables.sessions,
          index: 'by_opened',
          partitionKey: 'opened_in',
          partitions: partitionsOf(tenant, shards.opened),
          sortKey: 'opened',
          order: 'descending',
          after: placeAt(cursor),
        },
        limit,
      );
      const keys = rows.map(({ id }) => ({ id: id! }));
      const heads = await rowsByKey({ client, table: tables.sessions, consistent: true }, keys);
      return { items: heads.map(toHead), ...(last !== undefined && { cursor: cursorAt(last) }) };
    },

    async audit(filter: AuditFilter) {
      const { auditPage } = await import('./audit-page.ts'); // few functions read the audit log
      return auditPage(filter, {
        keys: (partitions, { from, to, after }) =>
          inOrder({
            client,
            table: tables.evidence,
            index: 'by_time',
            partitionKey: 'day',
            partitions,
            sortKey: 'at',
            order: 'descending',
            from,
            to,
            after,
            about: filter.limit,
          }),
        rows: async (keys) => {
          const found = keys.map(({ chain, position }) => ({ chain: chain!, position: position! }));
          return rowsByKey({ client, table: tables.evidence, consistent: false }, found);
        },
      });
    },

    async get(tenant, sessionId, lastHash) {
      const { Item } = await stored(
        client.send(
          new GetItemCommand({
            TableName: tables.sessions,
            Key: toItem(manifestKey(tenant, sessionId, lastHash)),
            ConsistentRead: true,
          }),
        ),
      );
      return Item && (JSON.parse((fromItem(Item) as { manifest: string }).manifest) as SessionManifest);
    },

    async put(manifest) {
      const key = manifestKey(manifest.tenant, manifest.session_id, manifest.last_hash);
      try {
        await client.send(
          new PutItemCommand({
            TableName: tables.sessions,
            Item: toItem({ ...key, manifest: canonicalize(manifest) }),
            ConditionExpression: 'attribute_not_exists(id)',
          }),
        );
        return manifest;
      } catch (cause) {
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) return await stored(Promise.reject(cause));
        return (await this.get(manifest.tenant, manifest.session_id, manifest.last_hash)) ?? manifest;
      }
    },
  };
}
