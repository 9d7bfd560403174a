/**
 * Evidence and session heads in DynamoDB (contract §4).
 *
 * Access patterns: entries of a chain in order (Query chain); entries of a tenant by time (Query by_time per hour and
 * shard, newest hour first, then BatchGet); head of a session (consistent Get); sessions of a tenant (Query by_opened).
 */
import {
  BatchGetItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import type { TableName } from '#core/contracts/tables.ts';
import type { AuditFilter, EvidenceLog, ManifestStore, Page, SessionHead } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { auditPage, auditShards, hourKey } from './audit-page.ts';
import { sharedReads } from './grouped-reads.ts';
import { fromCursor, fromItem, type Item, stored, toCursor, toItem } from './items.ts';

export interface StoreOptions {
  readonly client: DynamoDBClient;
  readonly tables: Record<TableName, string>;
}

const chainKey = (tenant: string, session: string) => `${tenant}#${session}`;
const position = (index: number) => String(index).padStart(12, '0');

const entryKey = (entry: EvidenceEntry) => ({
  chain: chainKey(entry.tenant, entry.session_id),
  position: position(entry.index),
});

/** Reads the place of an entry, whoever wrote it. */
export const entryGet = (TableName: string, entry: EvidenceEntry) => ({
  TableName,
  Key: toItem(entryKey(entry)),
  ConsistentRead: true,
});

/**
 * Put-if-absent of an entry; its text is kept verbatim, so that what was hashed is what is read.
 * @param writer names the call that writes, beside the entry: identical words of two calls stay apart.
 */
export function entryPutItem(tableName: string, entry: EvidenceEntry, writer: string): TransactWriteItem {
  const shard = Number.parseInt(entry.hash.slice(0, 2), 16) % auditShards;
  return {
    Put: {
      TableName: tableName,
      Item: {
        chain: { S: chainKey(entry.tenant, entry.session_id) },
        position: { S: position(entry.index) },
        writer: { S: writer },
        hour: { S: hourKey(entry.tenant, entry.timestamp.slice(0, 13), shard) },
        at: { S: `${entry.timestamp}#${entry.session_id}#${position(entry.index)}` },
        entry: { S: canonicalize(entry) },
      },
      ConditionExpression: 'attribute_not_exists(chain)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD', // says who wrote it
    },
  };
}

/** Moves a head on if it is where the writer saw it, and still its owner's. */
export function headPutItem(tableName: string, before: SessionHead | undefined, after: SessionHead): TransactWriteItem {
  const { tenant, session_id, ...rest } = after;
  const owner = before?.owner_key;
  return {
    Put: {
      TableName: tableName,
      Item: toItem({ tenant, session: session_id, opened: `${after.opened_at}#${session_id}`, ...rest }),
      ...(before
        ? {
            ConditionExpression: `last_hash = :seen AND ${owner === undefined ? 'attribute_not_exists(owner_key)' : 'owner_key = :owner'}`,
            ExpressionAttributeValues: {
              ':seen': { S: before.last_hash },
              ...(owner !== undefined && { ':owner': { S: owner } }),
            },
          }
        : { ConditionExpression: 'attribute_not_exists(tenant)' }),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

export function toHead(item: Item): SessionHead {
  const { session, opened: _opened, ...rest } = fromItem(item) as Record<string, unknown> & { session: string };
  return { ...rest, session_id: session } as unknown as SessionHead;
}

const entryOf = (item: Item): EvidenceEntry => JSON.parse(item.entry?.S ?? '');

const manifestKey = (tenant: string, session: string, lastHash: string) => ({
  tenant,
  session: `manifest#${session}#${lastHash}`,
});

export function evidenceTable({ client, tables }: StoreOptions): EvidenceLog & ManifestStore {
  const readHead = sharedReads(client, tables.sessions);
  return {
    async head(tenant, sessionId) {
      const item = await readHead({ tenant: { S: tenant }, session: { S: sessionId } });
      return item && toHead(item);
    },

    async *entries(tenant, sessionId, fromIndex = 0) {
      let next: Item | undefined;
      do {
        const page = await stored(
          client.send(
            new QueryCommand({
              TableName: tables.evidence,
              KeyConditionExpression: 'chain = :chain AND #position >= :from',
              ExpressionAttributeNames: { '#position': 'position' },
              ExpressionAttributeValues: toItem({
                ':chain': chainKey(tenant, sessionId),
                ':from': position(fromIndex),
              }),
              ConsistentRead: true,
              ...(next && { ExclusiveStartKey: next }),
            }),
          ),
        );
        for (const item of page.Items ?? []) yield entryOf(item);
        next = page.LastEvaluatedKey;
      } while (next);
    },

    async sessions(tenant, { limit, cursor }): Promise<Page<SessionHead>> {
      const start = fromCursor(cursor, ['tenant', 'session', 'opened']);
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName: tables.sessions,
            IndexName: 'by_opened',
            KeyConditionExpression: 'tenant = :tenant',
            ExpressionAttributeValues: toItem({ ':tenant': tenant }),
            ScanIndexForward: false,
            Limit: limit,
            ...(start && { ExclusiveStartKey: start }),
          }),
        ),
      );
      const next = toCursor(page.LastEvaluatedKey);
      return { items: (page.Items ?? []).map((item) => toHead(item)), ...(next && { cursor: next }) };
    },

    audit: (filter: AuditFilter) =>
      auditPage(filter, {
        keysOfPartition: async (hour, before, limit) => {
          const page = await stored(
            client.send(
              new QueryCommand({
                TableName: tables.evidence,
                IndexName: 'by_time',
                KeyConditionExpression: before === undefined ? '#hour = :hour' : '#hour = :hour AND #at < :before',
                ExpressionAttributeNames: { '#hour': 'hour', ...(before !== undefined && { '#at': 'at' }) },
                ExpressionAttributeValues: toItem({
                  ':hour': hour,
                  ...(before !== undefined && { ':before': before }),
                }),
                ScanIndexForward: false,
                Limit: limit,
              }),
            ),
          );
          return (page.Items ?? []).map((item) => fromItem(item) as { chain: string; position: string; at: string });
        },
        entriesByKey: async (keys) => {
          const entries: EvidenceEntry[] = [];
          for (let i = 0; i < keys.length; i += 100) {
            const request = keys.slice(i, i + 100).map(({ chain, position }) => toItem({ chain, position }));
            const { Responses } = await stored(
              client.send(new BatchGetItemCommand({ RequestItems: { [tables.evidence]: { Keys: request } } })),
            );
            for (const item of Responses?.[tables.evidence] ?? []) entries.push(entryOf(item));
          }
          return entries;
        },
      }),

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
            ConditionExpression: 'attribute_not_exists(tenant)',
          }),
        );
        return manifest;
      } catch (cause) {
        if ((cause as Error).name !== 'ConditionalCheckFailedException') return await stored(Promise.reject(cause));
        return (await this.get(manifest.tenant, manifest.session_id, manifest.last_hash)) ?? manifest;
      }
    },
  };
}
