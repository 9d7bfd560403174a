/**
 * Task manifests in DynamoDB. All manifests that bind a session or key are in one item, so that a call needs one read
 * in addition to its session's head. Items are not deleted, since roles may not: a removed manifest is marked.
 *
 * Access patterns: one manifest (consistent Get); those of a tenant (Query by_created, newest first); those of a
 * session, of a key, and a named one (consistent BatchGet, grouped); create and remove (transactions over row and
 * attachments).
 */

import {
  GetItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { TaskManifest } from '#core/contracts/task-manifest.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Attached, TaskManifests } from '#core/session/tasks/ports.ts';
import { groupedReads } from './grouped-reads.ts';
import { fromCursor, fromItem, type Item, storeDown, stored, toCursor, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** Maximum number of manifests that bind one session or key at a time; each is read with every call. */
const maxAttached = 8;
/** Longer than any manifest lives, counted from the last one attached. */
const keptSeconds = 120 * 24 * 3600;

const rowKey = (tenant: string, id: string): Item => toItem({ tenant, id: `task#${id}` });
const boundKey = (tenant: string, what: 'session' | 'key', name: string): Item =>
  toItem({ tenant, id: `${what}#${name}` });

/**
 * Returns the attribute of an attachment. Attribute names may contain `#`, so a manifest never collides with a key of
 * the table.
 */
const slot = (id: string): string => `at#${id}`;

const boundTo = ({ tenant, sessions = [], key_id }: TaskManifest): Item[] => [
  ...[...new Set(sessions)].map((session) => boundKey(tenant, 'session', session)),
  ...(key_id === undefined ? [] : [boundKey(tenant, 'key', key_id)]),
];

const toManifest = (item: Item): TaskManifest => JSON.parse((fromItem(item) as { manifest: string }).manifest);
const isRemoved = (item: Item): boolean => item.deleted_at !== undefined;

const manifestsOf = (item: Item | undefined): TaskManifest[] =>
  Object.entries(item ?? {}).flatMap(([name, value]) =>
    name.startsWith('at#') && value.S !== undefined ? [JSON.parse(value.S) as TaskManifest] : [],
  );

/** Returns the puts of row and attachments, all or nothing. */
function createParams(TableName: string, manifest: TaskManifest): TransactWriteItem[] {
  const text = JSON.stringify(manifest);
  const ttl = Math.floor(Date.parse(manifest.created_at) / 1000) + keptSeconds;
  const row = toItem({ created: `${manifest.created_at}#${manifest.id}`, manifest: text, ttl });
  return [
    {
      Put: {
        TableName,
        Item: { ...rowKey(manifest.tenant, manifest.id), ...row },
        // A removed manifest may be declared again.
        ConditionExpression: 'attribute_not_exists(tenant) OR attribute_exists(deleted_at)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    ...boundTo(manifest).map((Key) => ({
      Update: {
        TableName,
        Key,
        UpdateExpression: 'SET #slot = :text, #ttl = :ttl ADD bound :one',
        ConditionExpression: 'attribute_not_exists(bound) OR bound < :most',
        ExpressionAttributeNames: { '#slot': slot(manifest.id), '#ttl': 'ttl' },
        ExpressionAttributeValues: toItem({ ':text': text, ':ttl': ttl, ':one': 1, ':most': maxAttached }),
      },
    })),
  ];
}

/** Marks the row and removes the attachments. */
function removeParams(TableName: string, manifest: TaskManifest, deletedAt: string): TransactWriteItem[] {
  return [
    {
      Update: {
        TableName,
        Key: rowKey(manifest.tenant, manifest.id),
        UpdateExpression: 'SET deleted_at = :now REMOVE created',
        ConditionExpression: 'attribute_exists(tenant) AND attribute_not_exists(deleted_at)',
        ExpressionAttributeValues: toItem({ ':now': deletedAt }),
      },
    },
    ...boundTo(manifest).map((Key) => ({
      Update: {
        TableName,
        Key,
        UpdateExpression: 'REMOVE #slot ADD bound :less',
        ConditionExpression: 'attribute_exists(#slot)',
        ExpressionAttributeNames: { '#slot': slot(manifest.id) },
        ExpressionAttributeValues: toItem({ ':less': -1 }),
      },
    })),
  ];
}

/** Returns the refusal of each item of a cancelled transaction; undefined for any other fault. */
const refusals = (cause: unknown): readonly { Code?: string; Item?: Item }[] | undefined => {
  const { CancellationReasons } = cause as {
    CancellationReasons?: { Code?: string; Item?: Item }[];
  };
  const all = isErrorNamed(cause, 'TransactionCanceledException') ? (CancellationReasons ?? []) : [];
  return all.some(({ Code }) => Code === 'ConditionalCheckFailed') ? all : undefined;
};

export function manifestsTable({ client, tables }: StoreOptions): TaskManifests {
  const TableName = tables.manifests;
  const read = groupedReads({ client, table: TableName });

  async function get(tenant: string, id: string): Promise<TaskManifest | undefined> {
    const command = new GetItemCommand({ TableName, Key: rowKey(tenant, id), ConsistentRead: true });
    const { Item } = await stored(client.send(command));
    return Item && !isRemoved(Item) ? toManifest(Item) : undefined;
  }

  return {
    get,

    async create(manifest) {
      try {
        await client.send(new TransactWriteItemsCommand({ TransactItems: createParams(TableName, manifest) }));
        return manifest;
      } catch (cause) {
        const refused = refusals(cause);
        if (!refused) throw storeDown(cause);
        const [row] = refused;
        if (row?.Item) return toManifest(row.Item);
        throw new GatewayError(
          'conflict',
          `A session or key of manifest ${manifest.id} is bound by ${maxAttached} manifests already; delete one first.`,
        );
      }
    },

    async list(tenant, { limit, cursor }) {
      const start = fromCursor(cursor, ['tenant', 'created', 'id']);
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName,
            IndexName: 'by_created',
            KeyConditionExpression: 'tenant = :tenant',
            ExpressionAttributeValues: toItem({ ':tenant': tenant }),
            ScanIndexForward: false,
            Limit: limit,
            // A cursor only sets the position; the caller never chooses the tenant.
            ...(start && { ExclusiveStartKey: { ...start, ...toItem({ tenant }) } }),
          }),
        ),
      );
      const next = toCursor(page.LastEvaluatedKey);
      return { items: (page.Items ?? []).map(toManifest), ...(next && { cursor: next }) };
    },

    async attached(tenant, { session, key_id, named }): Promise<Attached> {
      const [ofSession, ofKey, ofCall] = await Promise.all([
        read(boundKey(tenant, 'session', session)),
        read(boundKey(tenant, 'key', key_id)),
        named === undefined ? undefined : read(rowKey(tenant, named)),
      ]);
      const call = ofCall && !isRemoved(ofCall) ? [toManifest(ofCall)] : [];
      // A manifest that names both binds that key in that session only.
      const bound = [...manifestsOf(ofSession), ...manifestsOf(ofKey)].filter(
        ({ sessions, key_id: key }) => (sessions?.includes(session) ?? true) && (key ?? key_id) === key_id,
      );
      const manifests = [...new Map([...bound, ...call].map((each) => [each.id, each])).values()];
      return { manifests, ...(named !== undefined && call.length === 0 && { unknown: named }) };
    },

    async remove(tenant, id, deletedAt) {
      const manifest = await get(tenant, id);
      if (!manifest) return false;
      try {
        const TransactItems = removeParams(TableName, manifest, deletedAt);
        await client.send(new TransactWriteItemsCommand({ TransactItems }));
        return true;
      } catch (cause) {
        if (!refusals(cause)) throw storeDown(cause);
        return false;
      }
    },
  };
}
