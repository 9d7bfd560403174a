/** Finds a shard that admits a call [limit.shards]. */

import type { Clock } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Transition } from '#core/limits/batch.ts';
import type { CounterState } from '#core/limits/counter-state.ts';
import type { Limits, ReserveOutcome, ReserveRequest } from '#core/limits/ports.ts';
import { limitsAt, maxShards, parentOf, tenantOutcome } from '#core/limits/shards.ts';
import { applyReserve } from '#core/limits/state.ts';
import type { CountersPlaces } from './counters-places.ts';
import { type CountersQueue, type StepResult, tooBusy } from './counters-queue.ts';
import type { CountersShards } from './counters-shards.ts';

/**
 * Number of lost writes after which a call is shed: the tenant's shards are busy, and more attempts would only keep
 * them busy.
 */
const maxLosses = 3;
/**
 * Number of lost writes allowed if the limits are too small for more shards, in which case the limits themselves end
 * the rush.
 */
const maxLossesOfSmall = 20;
/** Number of other processes' open calls at which a shard is full: each write is billed by the item's size. */
const fullAt = 48;
/** Number of open calls at which a shard is split before it is full. */
const crowdedAt = 16;
/**
 * Probability that a call splits a shard: one in eight for a crowded shard, and one in sixteen for a full one. One
 * split is enough.
 */
const crowdedSplits = 1 / 8;
const fullSplits = 1 / 16;
/** Maximum number of merged or full shards that one call tries. */
const maxDetours = 16;
/** Number of other shards that a refused call tries before it reads all of them. */
const maxGuesses = 2;
/** Time for which a process caches a split tenant's refusal, so that refused calls do not reread all shards. */
const refusedMs = 1000;
const maxTenants = 1000;

/** The shards this process uses: its rank among the processes, and how often the shard it last used was split. */
interface Home {
  readonly rank: number;
  readonly depth: number;
}

interface RefusedReservation {
  readonly request: ReserveRequest;
  readonly outcome: ReserveOutcome;
  readonly until: number;
}

interface ReserveOptions {
  readonly queue: CountersQueue;
  readonly shards: CountersShards;
  readonly places: CountersPlaces;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Returns the function that reserves for calls with limits. */
export function counterReserve(options: ReserveOptions): (request: ReserveRequest) => Promise<ReserveOutcome> {
  const { queue, shards, places, clock, random } = options;
  const homes = new RecentMap<string, Home>({ max: maxTenants });
  const looking = new Map<string, Promise<number>>();
  const refusals = new RecentMap<string, RefusedReservation>({ max: maxTenants });

  return async (request) => refusedBefore(request, clock.now()) ?? (await somewhere(request));

  /** Tries shards one after another until one admits the call or all of them together refuse it. */
  async function somewhere(request: ReserveRequest): Promise<ReserveOutcome> {
    const { tenant } = request;
    if (!homes.has(tenant)) await settleIn(tenant);
    let shard = homeOf(tenant);
    let losses = 0;
    let most = maxLosses;
    for (let detours = 0; detours < maxDetours; ) {
      const crowded = most === maxLosses;
      const stepped = await reserveAt(shard, request, crowded);
      if (stepped.kind === 'gone') {
        detours++;
        shard = parentOf(shard);
      } else if (stepped.kind === 'lost' || stepped.outcome === 'full') {
        if (++losses === most) break;
        const splits = stepped.kind === 'done' ? random() < fullSplits : losses > 1;
        if (splits && crowded && (await shards.split(shard, request)) === 'small') most = maxLossesOfSmall;
        await queue.pause(losses);
        shard = homeOf(tenant, newRank());
      } else if (stepped.outcome.ok || stepped.depth === 0) {
        return stepped.outcome;
      } else if (++detours <= maxGuesses) {
        shard = homeOf(tenant, newRank());
      } else {
        const next = await roomier(request, stepped.outcome.what, detours);
        if (typeof next === 'object') return next;
        shard = next ?? shard;
      }
    }
    throw tooBusy();
  }

  /** Returns the shard to try after a refusal, undefined to stay on the same one, or the refusal of all shards. */
  async function roomier(
    request: ReserveRequest,
    refusedBy: string,
    detours: number,
  ): Promise<number | ReserveOutcome | undefined> {
    const room = await shards.roomFor(request, refusedBy);
    if (room === 'scattered') return void (await queue.pause(detours));
    if ('shard' in room) return room.shard;
    refusals.set(request.tenant, { request, outcome: room.refused, until: clock.now() + refusedMs });
    return room.refused;
  }

  function refusedBefore(request: ReserveRequest, now: number): ReserveOutcome | undefined {
    const known = refusals.get(request.tenant);
    if (!known || now >= known.until) return undefined;
    const { tokens, cost_microusd, limits } = known.request;
    const asMuch = request.tokens >= tokens && request.cost_microusd >= cost_microusd;
    return asMuch && isSame(request.limits, limits) ? known.outcome : undefined;
  }

  /** @param bounded whether a shard with many open calls from other processes is refused as `full`. */
  async function reserveAt(
    shard: number,
    request: ReserveRequest,
    bounded: boolean,
  ): Promise<StepResult<ReserveOutcome | 'full'>> {
    const { tenant, limits, id } = request;
    const rank = homes.get(tenant)?.rank ?? 0;
    let others = 0;
    const reserving: Transition<ReserveOutcome | 'full'> = (state, now, wanted) => {
      others = othersIn(state);
      if (bounded && others >= fullAt) return { state, outcome: 'full' };
      return applyReserve(state, { ...request, limits: limitsAt(limits, shard, state.depth) }, now, wanted);
    };
    // Called before the step, which must recognise this process's calls.
    places.put(id, shard);
    const stepped = await queue.step(tenant, shard, reserving);
    if (stepped.kind !== 'gone') homes.set(tenant, { rank, depth: stepped.depth });
    if (stepped.kind !== 'done' || stepped.outcome === 'full' || !stepped.outcome.ok) {
      places.drop(id);
      return stepped;
    }
    const outcome = tenantOutcome(stepped.outcome, limits, stepped.depth);
    if (bounded && others >= crowdedAt && random() < crowdedSplits) await shards.split(shard, request);
    return { ...stepped, outcome };
  }

  /** Counts other processes' open calls. This process's own calls need no capacity. */
  function othersIn({ open }: CounterState): number {
    return open.length < crowdedAt ? 0 : open.filter((one) => !places.has(one.id)).length;
  }

  /**
   * Reads the first shard before a process writes for a tenant for the first time, because all processes begin there.
   */
  async function settleIn(tenant: string): Promise<void> {
    const look = looking.get(tenant) ?? queue.look(tenant, 0);
    looking.set(tenant, look);
    try {
      homes.set(tenant, { rank: newRank(), depth: await look });
    } finally {
      looking.delete(tenant);
    }
  }

  function newRank(): number {
    return Math.floor(random() * maxShards);
  }

  function homeOf(tenant: string, rank = homes.get(tenant)?.rank ?? newRank()): number {
    const depth = homes.get(tenant)?.depth ?? 0;
    homes.set(tenant, { rank, depth });
    return rank % 2 ** depth;
  }
}

/**
 * Compares the limits of two calls. Limits from one configuration are the same object, except those of plain requests,
 * which have only rates.
 */
const isSame = (one: Limits, other: Limits): boolean =>
  one === other ||
  (one.budgets.length === 0 &&
    other.budgets.length === 0 &&
    one.requests_per_minute === other.requests_per_minute &&
    one.tokens_per_minute === other.tokens_per_minute);
