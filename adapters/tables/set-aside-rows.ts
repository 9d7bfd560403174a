/**
 * Sessions with a fault, in the table of observations: those that the projector set aside [audit.set-aside], and those
 * whose chain contradicts its evidence [evidence.contradicted].
 *
 * Access patterns: put if absent, the rows of a tenant (one series each), remove. They do not expire: a repair removes
 * them.
 */
import type { Contradiction, ContradictionStore } from '#core/evidence/contradiction.ts';
import type { SetAside, SetAsideStore } from '#core/observatory/set-aside.ts';
import { type Key, queried, type StoreOptions } from './store.ts';

export const setAsideRows = ({ store }: StoreOptions): SetAsideStore =>
  faultRows<SetAside>(store, 'set-aside', ({ step, session_id }) => `${step}#${session_id}`);

export const contradictionRows = ({ store }: StoreOptions): ContradictionStore =>
  faultRows<Contradiction>(store, 'contradicted', ({ session_id }) => session_id);

function faultRows<R extends { readonly tenant: string }>(
  store: StoreOptions['store'],
  kind: string,
  at: (row: R) => string,
) {
  const seriesOf = (tenant: string): string => `${tenant}#${kind}`;
  const keyOf = (row: R): Key => ({ series: seriesOf(row.tenant), at: at(row) });
  return {
    async put(row: R): Promise<boolean> {
      const item = { ...keyOf(row), row: JSON.stringify(row) };
      return (await store.put('observations', item, { if: { absent: 'series' } })).written;
    },

    async list(tenant: string, limit: number): Promise<readonly R[]> {
      const rows: R[] = [];
      const query = { partition: seriesOf(tenant), limit, stale: true };
      for await (const { row } of queried<{ row: string }>(store, 'observations', query)) {
        rows.push(JSON.parse(row) as R);
        if (rows.length === limit) break;
      }
      return rows;
    },

    async remove(row: R): Promise<void> {
      await store.remove('observations', keyOf(row));
    },
  };
}
