/** Writes tenants and keys as rows of the configuration table, with the keys that `tenant-rows.ts` reads. */
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import type { KeyRow, TenantRow } from '#core/contracts/tenant-rows.ts';
import { ifUnchanged, type Write } from './store.ts';

export const tenantPrefix = 'tenant#';
export const tenantId = (id: string): string => `${tenantPrefix}${id}`;
export const keyRowId = (keyId: string): string => `key#${keyId}`;
/** Partition of the list of tenants. Tenant ids contain no `#`, so no list of keys can be mistaken for it. */
export const tenantList = 'tenants';
export const keyList = (tenant: string): string => `keys#${tenant}`;

export const tenantPut = (row: TenantRow): Write => ({
  put: 'config',
  row: { id: tenantId(row.id), listed_in: tenantList, body: JSON.stringify(row), revision: row.revision },
  if: ifUnchanged(row.revision === 1 ? undefined : { revision: row.revision - 1 }),
  current: true,
});

export const keyPut = (row: KeyRow): Write => ({
  put: 'config',
  row: {
    id: keyRowId(keyIdOf(row.key_sha256)),
    listed_in: keyList(row.tenant),
    body: JSON.stringify(row),
    key_sha256: row.key_sha256,
    revoked: row.revoked_at !== undefined,
  },
  if:
    row.revoked_at === undefined
      ? { absent: 'id' }
      : { all: [{ equals: ['key_sha256', row.key_sha256] }, { equals: ['revoked', false] }] },
  current: true,
});
