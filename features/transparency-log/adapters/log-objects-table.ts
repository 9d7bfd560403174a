/**
 * Objects of the transparency log in the same table as its head, for gateways that share a store but no folder. Each is
 * put once and never changed. In each row, `series` names the folder and `at` the object in it. The largest object, a
 * full tile of 256 leaves, takes a fifth of DynamoDB's row limit. Access patterns: put if absent; get; list the names
 * in a folder.
 */

import { allRows, type Key, type StoreOptions } from '#adapters/tables/store.ts';
import type { LogObjects } from '../ports.ts';

const seriesOf = (tenant: string, folder: string): string => `log-objects#${tenant}#${folder}`;

function logObjectKey(tenant: string, path: string): Key {
  const cut = path.lastIndexOf('/');
  return { series: seriesOf(tenant, path.slice(0, cut)), at: path.slice(cut + 1) };
}

export function logObjectsTable({ store }: StoreOptions): LogObjects {
  return {
    async put(tenant, path, bytes) {
      await store.put('observations', { ...logObjectKey(tenant, path), bytes }, { if: { absent: 'series' } });
    },

    async get(tenant, path) {
      const row = await store.get<{ bytes: Uint8Array }>('observations', logObjectKey(tenant, path));
      return row && Buffer.from(row.bytes);
    },

    async list(tenant, folder) {
      const query = { partition: seriesOf(tenant, folder), only: ['at'] };
      const rows = await allRows<{ at: string }>(store, 'observations', query);
      return rows.map(({ at }) => at).sort();
    },
  };
}
