/**
 * Issued credentials in DynamoDB: scope, expiry, revocation; never a value.
 *
 * Access patterns: one record (consistent Get); the active ones of a tenant (Query per shard, newest first: ids are
 * UUIDv7); those of all tenants to revoke (Query by_due per shard, which holds no others, then BatchGet). Records
 * change only inside `Ledger.commit`.
 */
import { GetItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { CredentialStore } from '#core/execution/credentials/ports.ts';
import { maxCredentialSeconds } from '#core/execution/credentials/record.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { dueIn, dueRows } from './due-rows.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';
import { livePage } from './live-page.ts';
import { partitionOf, partitionsOf, shards } from './shards.ts';
import type { StoreOptions } from './store-options.ts';

const keptSeconds = 30 * 24 * 3600;

const keyOf = (tenant: string, id: string): Item =>
  toItem({ kept_in: partitionOf(tenant, id, shards.credentials), id });

export const credentialPutItem = (table: string, record: CredentialRecord): TransactWriteItem => ({
  Put: {
    TableName: table,
    Item: {
      ...keyOf(record.tenant, record.id),
      ...toItem({
        ...record,
        ...(record.revoke_due !== undefined && { due_in: dueIn(record.id) }),
        ttl: Math.floor(Date.parse(record.expires_at) / 1000) + keptSeconds,
      }),
    },
    ConditionExpression: 'attribute_not_exists(id)',
  },
});

export const credentialRevokeItem = (
  table: string,
  tenant: string,
  id: string,
  revokedAt: string,
): TransactWriteItem => ({
  Update: {
    TableName: table,
    Key: keyOf(tenant, id),
    UpdateExpression: 'SET revoked_at = :now REMOVE due_in, revoke_due',
    ConditionExpression: 'attribute_exists(id) AND attribute_not_exists(revoked_at)',
    ExpressionAttributeValues: toItem({ ':now': revokedAt }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

function toRecord(item: Item): CredentialRecord {
  const {
    kept_in: _kept,
    ttl: _ttl,
    due_in: _due,
    ...record
  } = fromItem<CredentialRecord & Beside<'kept_in' | 'ttl' | 'due_in'>>(item);
  return record;
}

export function credentialsTable({ client, tables }: StoreOptions): CredentialStore {
  return {
    async get(tenant, id) {
      const request = new GetItemCommand({
        TableName: tables.credentials,
        Key: keyOf(tenant, id),
        ConsistentRead: true,
      });
      const { Item } = await stored(client.send(request));
      return Item && toRecord(Item);
    },

    active: (tenant, now, page) =>
      livePage(
        { client, table: tables.credentials, partitions: partitionsOf(tenant, shards.credentials) },
        {
          ...page,
          toRow: toRecord,
          oldest: isoTime(Date.parse(now) - maxCredentialSeconds * 1000),
          isLive: ({ expires_at, revoked_at }) => expires_at > now && revoked_at === undefined,
        },
      ),

    async due(now, limit) {
      const list = { client, table: tables.credentials, sortKey: 'revoke_due' };
      const records = await dueRows(list, ['kept_in', 'id'], { now, limit });
      return records.map(toRecord).filter(({ revoked_at }) => revoked_at === undefined);
    },
  };
}
