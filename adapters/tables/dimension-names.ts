/**
 * The models, providers and tools that have their own buckets on a day [admin.analytics]: one row per scope, kind and
 * day, with the set of their names. Names are chosen by callers, so names beyond a limit are counted under `other`.
 * Access patterns: the names of a day; adding a name while there is room (update with a condition).
 */

import { RecentMap } from '#core/kernel/recent-map.ts';
import {
  type Dimension,
  type DimensionKind,
  dimensionOf,
  maxNames,
  otherName,
  partsOf,
  type Scope,
} from '#core/observatory/dimensions.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import type { Key, Row, Store } from './store.ts';

/** Kinds whose names are listed. Tenants are taken from the configuration. */
const listedKinds = ['model', 'provider', 'tool'] as const satisfies readonly DimensionKind[];
type ListedKind = (typeof listedKinds)[number];

/** Maximum number of cached sets, each with at most `maxNames` names. */
const remembered = 4_000;

interface DimensionDay {
  readonly scope: Scope;
  readonly kind: ListedKind;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export function dimensionNames(store: Store) {
  const known = new RecentMap<string, Promise<Set<string>>>({ max: remembered });

  const read = async (place: DimensionDay): Promise<Set<string>> =>
    storedNames(await store.get('observations', dimensionDayKey(place)));

  function namesAt(place: DimensionDay): Promise<Set<string>> {
    const key = JSON.stringify(place);
    const found = known.get(key) ?? read(place);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  }

  /** Adds a name. @returns the names after the addition, or the unchanged names if there was no room. */
  async function add(place: DimensionDay, name: string): Promise<Set<string>> {
    const { written, row } = await store.update(
      'observations',
      dimensionDayKey(place),
      { add: { names: new Set([name]) }, set: { ttl: Date.parse(place.day) / 1000 + (recentHours + 48) * 3600 } },
      {
        if: { any: [{ absent: 'names' }, { fewer: ['names', maxNames(place.scope)] }, { holds: ['names', name] }] },
        current: true,
        after: true,
      },
    );
    const names = storedNames(row);
    return written ? names.add(name) : names;
  }

  return {
    /**
     * Returns the dimension under which to count in a scope on a day: the dimension itself while there is room for its
     * name, otherwise `<kind>:other`.
     */
    async counted(scope: Scope, dimension: Dimension, day: string): Promise<Dimension> {
      const parts = partsOf(dimension);
      const kind = listedKinds.find((each) => each === parts?.kind);
      if (kind === undefined) return dimension;
      const place = { scope, kind, day };
      let names = await namesAt(place);
      if (!names.has(parts!.name) && names.size < maxNames(scope)) {
        names = await add(place, parts!.name);
        known.set(JSON.stringify(place), Promise.resolve(names));
      }
      return names.has(parts!.name) ? dimension : dimensionOf(kind, otherName);
    },

    /** Reads the names of all kinds that have buckets on these days, bypassing the cache. */
    async listed(scope: Scope, days: readonly string[]): Promise<Dimension[]> {
      const places = listedKinds.flatMap((kind) => days.map((day) => ({ scope, kind, day })));
      const sets = await Promise.all(places.map(read));
      const all = places.flatMap(({ kind }, n) => {
        const full = sets[n]!.size >= maxNames(scope) ? [dimensionOf(kind, otherName)] : [];
        return [...[...sets[n]!].map((name) => dimensionOf(kind, name)), ...full];
      });
      return [...new Set(all)].sort();
    },
  };
}

const dimensionDayKey = ({ scope, kind, day }: DimensionDay): Key => ({ series: `${scope}#names#${kind}`, at: day });

const storedNames = (row: Row | undefined): Set<string> =>
  new Set(row?.names instanceof Set ? (row.names as Set<string>) : []);
