/** The data planes' store. Its code is loaded at first use. */
import { lazyStore } from '#adapters/tables/lazy-store.ts';
import type { StoreOptions } from '#adapters/tables/store.ts';
import type { PlaneStore } from '../ports.ts';

export const planes = (options: StoreOptions): PlaneStore =>
  lazyStore(async () => (await import('./planes-table.ts')).planesTable(options), {
    list: true,
    get: true,
    put: true,
    heads: true,
    putHeads: true,
    walk: true,
  });
