/**
 * Faulty sessions, in the observations table: those that the projector set aside [audit.set-aside], and those whose
 * chain contradicts its evidence [evidence.contradicted]. Access patterns: put if absent; a tenant's rows (one series
 * each), and the rows of given sessions; remove. Rows do not expire; a repair removes them.
 */
import type { Contradiction, ContradictionStore } from '#core/evidence/contradiction.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { type FailedEntry, projectionSteps, type SetAsideStore } from '#core/observatory/set-aside.ts';
import { type Key, type Query, queryPages, type StoreOptions } from './store.ts';

export const setAsideRows = ({ store }: StoreOptions): SetAsideStore =>
  faultRows<FailedEntry>(store, 'set-aside', {
    at: ({ step, session_id }) => `${step}#${session_id}`,
    places: (session) => projectionSteps.map((step) => `${step}#${session}`),
  });

export const contradictionRows = ({ store }: StoreOptions): ContradictionStore =>
  faultRows<Contradiction>(store, 'contradicted', {
    at: ({ session_id }) => session_id,
    places: (session) => [session],
  });

interface Places<R> {
  /** Returns a row's place in its series. */
  readonly at: (row: R) => string;
  /** Returns the places that a session's rows may have. */
  readonly places: (session: string) => readonly string[];
}

/** Default number of rows. A tenant usually has fewer, and one query finds them all. */
const defaultLimit = 100;
const queriesAtOnce = 10;

function faultRows<R extends { readonly tenant: string; readonly session_id: string }>(
  store: StoreOptions['store'],
  kind: string,
  { at, places }: Places<R>,
) {
  const rowsIn = async (range: Partial<Query> & { readonly tenant: string }, limit: number): Promise<R[]> => {
    const { tenant, ...within } = range;
    const rows: R[] = [];
    const query = { partition: seriesOf(tenant), limit, stale: true, ...within };
    for await (const { row } of queryPages<{ row: string }>(store, 'observations', query)) {
      rows.push(JSON.parse(row) as R);
      if (rows.length === limit) break;
    }
    return rows;
  };
  const seriesOf = (tenant: string): string => `${tenant}#${kind}`;
  const keyOf = (row: R): Key => ({ series: seriesOf(row.tenant), at: at(row) });
  const itemOf = (row: R) => ({ ...keyOf(row), row: JSON.stringify(row) });
  return {
    async put(row: R): Promise<boolean> {
      return (await store.put('observations', itemOf(row), { if: { absent: 'series' } })).written;
    },

    async advance(row: R): Promise<void> {
      await store.put('observations', itemOf(row));
    },

    list: (tenant: string, limit: number): Promise<readonly R[]> => rowsIn({ tenant }, limit),

    async ofSessions(tenant: string, sessions: readonly string[]): Promise<readonly R[]> {
      const first = await rowsIn({ tenant }, defaultLimit);
      if (first.length < defaultLimit) return first.filter(({ session_id }) => sessions.includes(session_id));
      const found: R[] = [];
      await sideBySide(sessions.flatMap(places), queriesAtOnce, async (place) => {
        found.push(...(await rowsIn({ tenant, range: { from: place, to: place } }, 1)));
      });
      return found;
    },

    async remove(row: R): Promise<void> {
      await store.remove('observations', keyOf(row));
    },
  };
}
