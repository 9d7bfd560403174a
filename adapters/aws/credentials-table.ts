/**
 * Issued credentials in DynamoDB: scope, expiry, revocation; never a value (spec §2.6).
 *
 * Access patterns: one record (consistent Get); the active ones of a tenant (Query by tenant, newest first: ids are
 * UUIDv7); those of all tenants to call back (Query by_due, which holds no others). Records change only inside
 * `Ledger.commit`.
 */
import { GetItemCommand, QueryCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { CredentialStore } from '#core/credentials/ports.ts';
import { longestLifeSeconds } from '#core/credentials/record.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { StoreOptions } from './evidence-table.ts';
import { fromCursor, fromItem, type Item, stored, toCursor, toItem } from './items.ts';

const keptSeconds = 30 * 24 * 3600;
const pageSize = 200;
/** The one partition of `by_due`; a revoked record leaves the index. */
const due = 'due';

export const credentialPutItem = (table: string, record: CredentialRecord): TransactWriteItem => ({
  Put: {
    TableName: table,
    Item: toItem({
      ...record,
      ...(record.revoke_due !== undefined && { due }),
      ttl: Math.floor(Date.parse(record.expires_at) / 1000) + keptSeconds,
    }),
    ConditionExpression: 'attribute_not_exists(tenant)',
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
    Key: toItem({ tenant, id }),
    UpdateExpression: 'SET revoked_at = :now REMOVE #due, revoke_due',
    ConditionExpression: 'attribute_exists(tenant) AND attribute_not_exists(revoked_at)',
    ExpressionAttributeNames: { '#due': 'due' },
    ExpressionAttributeValues: toItem({ ':now': revokedAt }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

function toRecord(item: Item): CredentialRecord {
  const { ttl: _ttl, due: _due, ...record } = fromItem(item);
  return record as unknown as CredentialRecord;
}

export function credentialsTable({ client, tables }: StoreOptions): CredentialStore {
  return {
    async get(tenant, id) {
      const request = new GetItemCommand({
        TableName: tables.credentials,
        Key: toItem({ tenant, id }),
        ConsistentRead: true,
      });
      const { Item } = await stored(client.send(request));
      return Item && toRecord(Item);
    },

    /** Newest first; a record older than the longest life ends the search, for none behind it can be alive. */
    async active(tenant, now, { limit, cursor }) {
      const oldest = isoTime(Date.parse(now) - longestLifeSeconds * 1000);
      const items: CredentialRecord[] = [];
      let start = fromCursor(cursor, ['tenant', 'id']);
      do {
        const page = await stored(
          client.send(
            new QueryCommand({
              TableName: tables.credentials,
              KeyConditionExpression: 'tenant = :tenant',
              ExpressionAttributeValues: toItem({ ':tenant': tenant }),
              ScanIndexForward: false,
              Limit: pageSize,
              // Of a cursor only the place counts; whose credentials are read never comes from the caller.
              ...(start && { ExclusiveStartKey: { ...start, ...toItem({ tenant }) } }),
            }),
          ),
        );
        for (const record of (page.Items ?? []).map(toRecord)) {
          if (record.issued_at < oldest) return { items };
          if (record.expires_at <= now || record.revoked_at !== undefined) continue;
          items.push(record);
          if (items.length === limit) return { items, cursor: toCursor(toItem({ tenant, id: record.id }))! };
        }
        start = page.LastEvaluatedKey;
      } while (start);
      return { items };
    },

    async due(now, limit) {
      const page = await stored(
        client.send(
          new QueryCommand({
            TableName: tables.credentials,
            IndexName: 'by_due',
            KeyConditionExpression: '#due = :due AND revoke_due <= :now',
            ExpressionAttributeNames: { '#due': 'due' },
            ExpressionAttributeValues: toItem({ ':due': due, ':now': now }),
            Limit: limit,
          }),
        ),
      );
      return (page.Items ?? []).map(toRecord);
    },
  };
}
