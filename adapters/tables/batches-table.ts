/**
 * Callers' files, batches and responses: owner = tenant#key, ids in time order. Rows are marked as deleted, not
 * removed. Access patterns: one row of an owner; an owner's rows by kind (newest first); putting a whole row.
 */
import type { StoredObjectStore, StoredOwner } from '#core/chat/stored/ports.ts';
import type { StoredBatch, StoredObject } from '#core/contracts/stored-batch.ts';
import type { IndexAttributes, Key, StoreOptions } from './store.ts';

/** Time for which a deleted row is kept, so that a caller paging through a list does not lose its position. */
const keptSeconds = 7 * 24 * 3600;

const prefixes = { file: 'file-', batch: 'batch_' } as const;

const ownerOf = ({ tenant, key_id }: StoredOwner): string => `${tenant}#${key_id}`;

/** Time for which responses are kept: 30 days, as at the providers. */
const responseSeconds = 30 * 24 * 3600;

function toStored({ owner: _owner, ttl: _ttl, ...row }: StoredObject & IndexAttributes<'owner' | 'ttl'>): StoredObject {
  return row as StoredObject;
}

const ttlOf = ({ kind, created_at, deleted_at }: StoredObject): { readonly ttl?: number } =>
  deleted_at !== undefined
    ? { ttl: deleted_at + keptSeconds }
    : kind === 'response'
      ? { ttl: created_at + responseSeconds }
      : {};

export function batchesTable({ store }: StoreOptions): StoredObjectStore {
  return {
    async get(owner, id) {
      const stored = await store.get<StoredObject>('batches', { owner: ownerOf(owner), id });
      const row = stored && toStored(stored);
      return row?.deleted_at === undefined ? row : undefined;
    },

    async put(row) {
      await store.put('batches', { owner: ownerOf(row), ...row, ...ttlOf(row) });
    },

    async list(owner, kind, { limit, after, ascending = false }) {
      const items: StoredBatch[] = [];
      let start: Key | undefined = after === undefined ? undefined : { owner: ownerOf(owner), id: after };
      do {
        const page = await store.query<StoredBatch>('batches', {
          partition: ownerOf(owner),
          range: { prefix: prefixes[kind] },
          filter: { absent: 'deleted_at' },
          order: ascending ? 'ascending' : 'descending',
          limit: limit + 1,
          after: start,
          stale: true,
        });
        items.push(...(page.rows.map(toStored) as StoredBatch[]));
        start = page.next;
      } while (start && items.length <= limit);
      return { items: items.slice(0, limit), more: items.length > limit };
    },
  };
}
