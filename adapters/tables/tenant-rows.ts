/**
 * Tenants and keys as rows of the configuration table: `tenant#<id>`, and `key#<first 16 hex digits of its SHA-256>`
 * with the whole digest inside, so that a key can be found both by the value a caller sends and by the id recorded in
 * evidence. Access patterns: one tenant, one key (consistent reads); the tenants, and a tenant's keys, in id order
 * (by_list). `tenant-row-writes.ts` makes puts that are conditional on the revision that was read, together with the
 * evidence entry.
 */
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import type { TenantRows } from '#core/configuration/ports.ts';
import { type KeyRow, keyRowSchema, type TenantRow, tenantRowSchema } from '#core/contracts/tenant-rows.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { fromCursor, toCursor } from './cursors.ts';
import { rowsByKey } from './rows-by-key.ts';
import type { Key, StoreOptions } from './store.ts';
import { keyList, keyRowId, tenantId, tenantList, tenantPrefix } from './tenant-row-writes.ts';

interface StoredRow {
  readonly id: string;
  readonly body: string;
}

/** Parses a row. @throws GatewayError `service_unavailable` for a row that is incomplete or has a different id. */
function tenantOf({ id, body }: StoredRow): TenantRow {
  return readRow(id, () => {
    const row = tenantRowSchema.parse(JSON.parse(body));
    return { row, id: tenantId(row.id) };
  });
}

/** Parses a row. @throws the same errors as `tenantOf` */
function keyOf({ id, body }: StoredRow): KeyRow {
  return readRow(id, () => {
    const row = keyRowSchema.parse(JSON.parse(body));
    return { row, id: keyRowId(keyIdOf(row.key_sha256)) };
  });
}

function readRow<R>(id: string, read: () => { readonly row: R; readonly id: string }): R {
  let cause: unknown;
  try {
    const found = read();
    if (found.id === id) return found.row;
  } catch (fault) {
    cause = fault;
  }
  throw new GatewayError('service_unavailable', `The row ${id} of the configuration cannot be read.`, { cause });
}

export function tenantRows({ store }: StoreOptions): TenantRows {
  async function get<R>(id: string, parse: (row: StoredRow) => R): Promise<R | undefined> {
    const row = await store.get<StoredRow>('config', { id });
    return row && parse(row);
  }

  async function page<R>(
    partition: string,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
    parse: (row: StoredRow) => R,
  ) {
    const after = fromCursor(cursor, ['id', 'listed_in']);
    const { rows, next } = await store.query('config', { index: 'by_list', partition, limit, after });
    const items = (await rowsByKey<StoredRow & object>(store, 'config', rows)).map(parse);
    const following = toCursor(next);
    return { items, ...(following !== undefined && { cursor: following }) };
  }

  return {
    tenantRow: (id) => get(tenantId(id), tenantOf),
    keyRow: (keyId) => get(keyRowId(keyId), keyOf),
    tenantRows: (options) => page(tenantList, options, tenantOf),
    keyRows: (tenant, options) => page(keyList(tenant), options, keyOf),

    async tenantRowIds(after, limit) {
      const from: Key | undefined = after === undefined ? undefined : { listed_in: tenantList, id: tenantId(after) };
      const { rows } = await store.query<StoredRow>('config', {
        index: 'by_list',
        partition: tenantList,
        limit,
        after: from,
      });
      return rows.map(({ id }) => id.slice(tenantPrefix.length));
    },
  };
}
