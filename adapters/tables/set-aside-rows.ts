/**
 * Sessions that the projector set aside, in the table of observations [audit.set-aside].
 *
 * Access patterns: put if absent, the rows of a tenant (one series), remove. They do not expire: a repair removes them.
 */
import type { SetAside, SetAsideStore } from '#core/observatory/set-aside.ts';
import { type Key, queried, type StoreOptions } from './store.ts';

const seriesOf = (tenant: string): string => `${tenant}#set-aside`;
const rowKey = ({ tenant, step, session_id }: SetAside): Key => ({
  series: seriesOf(tenant),
  at: `${step}#${session_id}`,
});

export function setAsideRows({ store }: StoreOptions): SetAsideStore {
  return {
    async put(row) {
      await store.put('observations', { ...rowKey(row), row: JSON.stringify(row) }, { if: { absent: 'series' } });
    },

    async list(tenant, limit) {
      const rows: SetAside[] = [];
      const query = { partition: seriesOf(tenant), limit, stale: true };
      for await (const { row } of queried<{ row: string }>(store, 'observations', query)) {
        rows.push(JSON.parse(row) as SetAside);
        if (rows.length === limit) break;
      }
      return rows;
    },

    async remove(row) {
      await store.remove('observations', rowKey(row));
    },
  };
}
