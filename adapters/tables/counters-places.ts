/** The shards that count this process's open calls [limit.shards], and the search for the shard of any open call. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Transition } from '#core/limits/batch.ts';
import { parentOf } from '#core/limits/shards.ts';
import type { CountersQueue } from './counters-queue.ts';
import type { CountersStore } from './counters-store.ts';

/** The number of the shard with a call's reservation, or `uncounted` if the call has none. */
type Place = number | 'uncounted';

/** Maximum number of this process's calls whose shard is cached until they are settled. */
const maxCalls = 50_000;

export interface CountersPlaces {
  put(id: string, place: Place): void;
  drop(id: string): void;
  /** Checks whether the call belongs to this process. */
  has(id: string): boolean;
  /**
   * Applies a step to an open reservation. Returns false if the reservation has ended. Calls without a reservation have
   * no steps.
   */
  step(tenant: string, id: string, transition: Transition<boolean>): Promise<boolean>;
}

export function countersPlaces(store: CountersStore, queue: CountersQueue): CountersPlaces {
  const places = new RecentMap<string, Place>({ max: maxCalls });

  return {
    drop: (id) => void places.delete(id),
    has: (id) => places.has(id),
    put: (id, place) => places.set(id, place),
    step,
  };

  async function step(tenant: string, id: string, transition: Transition<boolean>): Promise<boolean> {
    const place = places.get(id);
    if (place === 'uncounted') return true;
    if (place !== undefined) return inAncestors(tenant, place, transition);
    const first = await queue.step(tenant, 0, transition, true);
    if (first.kind !== 'done') return false;
    return first.outcome || (first.depth > 0 && (await anywhere(tenant, id, transition)));
  }

  /** Applies a step in the shard or one of its ancestors, because a merged shard leaves its calls to its parent. */
  async function inAncestors(tenant: string, place: number, transition: Transition<boolean>): Promise<boolean> {
    for (let shard = place; ; shard = parentOf(shard)) {
      const stepped = await queue.step(tenant, shard, transition, true);
      if (stepped.kind === 'done' && stepped.outcome) return true;
      if (shard === 0) return false;
    }
  }

  /** Applies a step to a call that another process reserved, in a shard that is known only from the store. */
  async function anywhere(tenant: string, id: string, transition: Transition<boolean>): Promise<boolean> {
    const leaves = await store.readAll(tenant);
    const found = [...leaves].find(([, { state }]) => state.open.some((one) => one.id === id));
    return found ? inAncestors(tenant, found[0], transition) : false;
  }
}
