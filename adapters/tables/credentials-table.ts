/**
 * Issued credentials: scope, expiry and revocation, but never a value. Access patterns: one record; a tenant's active
 * ones (query per shard, newest first: ids are UUIDv7); all tenants' records due for revocation (index by_due per
 * shard, which contains only those, then the rows). Records change only inside `Ledger.commit`.
 */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { CredentialStore } from '#core/execution/credentials/ports.ts';
import { maxCredentialSeconds } from '#core/execution/credentials/record.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { dueIn, dueRows } from './due-rows.ts';
import { livePage } from './live-page.ts';
import { partitionOf, partitionsOf, shards } from './shards.ts';
import type { IndexAttributes, Key, StoreOptions, Write } from './store.ts';

const keptSeconds = 30 * 24 * 3600;

const credentialKey = (tenant: string, id: string): Key => ({
  kept_in: partitionOf(tenant, id, shards.credentials),
  id,
});

export const credentialPut = (record: CredentialRecord): Write => ({
  put: 'credentials',
  row: {
    ...credentialKey(record.tenant, record.id),
    ...record,
    ...(record.revoke_due !== undefined && { due_in: dueIn(record.id) }),
    ttl: Math.floor(Date.parse(record.expires_at) / 1000) + keptSeconds,
  },
  if: { absent: 'id' },
});

export const credentialRevoke = (tenant: string, id: string, revokedAt: string): Write => ({
  update: 'credentials',
  key: credentialKey(tenant, id),
  change: { set: { revoked_at: revokedAt }, remove: ['due_in', 'revoke_due'] },
  if: { all: [{ present: 'id' }, { absent: 'revoked_at' }] },
  current: true,
});

function toRecord({
  kept_in: _kept,
  ttl: _ttl,
  due_in: _due,
  ...record
}: CredentialRecord & IndexAttributes<'kept_in' | 'ttl' | 'due_in'>): CredentialRecord {
  return record;
}

export function credentialsTable({ store }: StoreOptions): CredentialStore {
  return {
    async get(tenant, id) {
      const row = await store.get<CredentialRecord>('credentials', credentialKey(tenant, id));
      return row && toRecord(row);
    },

    active: (tenant, now, page) =>
      livePage(
        { store, table: 'credentials', partitions: partitionsOf(tenant, shards.credentials) },
        {
          ...page,
          toRow: toRecord,
          oldest: isoTime(Date.parse(now) - maxCredentialSeconds * 1000),
          isLive: ({ expires_at, revoked_at }) => expires_at > now && revoked_at === undefined,
        },
      ),

    async due(now, limit) {
      const rows = await dueRows<CredentialRecord>(
        { store, table: 'credentials', sortKey: 'revoke_due' },
        { now, limit },
      );
      return rows.map(toRecord).filter(({ revoked_at }) => revoked_at === undefined);
    },
  };
}
