/**
 * Data planes [federation.status]: one partition per plane, with its last status and one row per reported chain. Access
 * patterns: plane status by name; heads by tenant and session; heads in key order; a status write conditional on the
 * revision that was read; writing single heads (a report advances only a few).
 */

import { ifUnchanged, type Key, type StoreOptions } from '#adapters/tables/store.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { KnownHead, PlaneRow } from '../contract.ts';
import type { HeadKey, PlaneStore } from '../ports.ts';

const statusId = 'status';
const headPrefix = 'head#';
/** Returns a head's id. Tenant and session ids do not contain the separator. */
const headId = ({ tenant, session_id }: HeadKey): string => `${headPrefix}${tenant}#${session_id}`;
const putConcurrency = 10;

const statusKey = (plane: string): Key => ({ plane, id: statusId });
const toStatus = ({ row }: { readonly row: string }): PlaneRow => JSON.parse(row) as PlaneRow;
const toHead = ({ head }: { readonly head: string }): KnownHead => JSON.parse(head) as KnownHead;

export function planesTable({ store }: StoreOptions): PlaneStore {
  async function getAll<R extends object>(keys: readonly Key[]): Promise<R[]> {
    const rows = await store.getMany<R>(keys.map((key) => ['federation', key] as const));
    return rows.filter((row) => row !== undefined);
  }

  return {
    list: async (names) => (await getAll<{ row: string }>(names.map(statusKey))).map(toStatus),

    async get(plane) {
      const row = await store.get<{ row: string }>('federation', statusKey(plane));
      return row && toStatus(row);
    },

    async put(row, read) {
      const stored = { ...statusKey(row.plane), row: JSON.stringify(row), revision: row.revision };
      return (await store.put('federation', stored, { if: ifUnchanged(read) })).written;
    },

    heads: async (plane, sessions) => {
      const ids = [...new Set(sessions.map(headId))];
      return (await getAll<{ head: string }>(ids.map((id) => ({ plane, id })))).map(toHead);
    },

    async putHeads(plane, heads) {
      await sideBySide(heads, putConcurrency, async (head) => {
        await store.put('federation', { plane, id: headId(head), head: JSON.stringify(head) });
      });
    },

    async walk(plane, cursor, limit) {
      const { rows, next } = await store.query<{ head: string }>('federation', {
        partition: plane,
        range: { prefix: headPrefix },
        limit,
        after: cursor === undefined ? undefined : { plane, id: cursor },
      });
      return { heads: rows.map(toHead), ...(next && { next: next.id! }) };
    },
  };
}
