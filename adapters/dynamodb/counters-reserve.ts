/** How a call finds a shard that lets it pass [limit.shards], or a lease of its process [limit.lease]. */

import type { Clock } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Transition } from '#core/limits/batch.ts';
import type { CounterState } from '#core/limits/counter-state.ts';
import { type HeldLease, LeaseBook, outcomeOf, returnOf, sameRates } from '#core/limits/lease-book.ts';
import { applyLease, rateLeaseSeconds, returnLease } from '#core/limits/leases.ts';
import type { LimitStatus, ReserveOutcome, ReserveRequest } from '#core/limits/ports.ts';
import { limitsAt, maxShards, parentOf, tenantOutcome } from '#core/limits/shards.ts';
import { applyReserve } from '#core/limits/state.ts';
import type { CountersPlaces } from './counters-places.ts';
import { type CountersQueue, type Stepped, tooBusy } from './counters-queue.ts';
import type { CountersShards } from './counters-shards.ts';

/** Lost writes after which a call is shed: the tenant's shards are busy, and trying on would keep them so. */
const maxLosses = 3;
/** Where the limits are too small for more shards, the limits end the rush. */
const maxLossesOfSmall = 20;
/** Open calls of other processes with which a shard takes no more: each write is billed by the size of the item. */
const fullAt = 48;
/** Calls of other processes that a shard takes in a second: reading how many there were costs less than a lost write. */
const fullSecond = 50;
/** With so many a shard is split before it is full. */
const crowdedAt = 16;
/** Of the calls that meet a crowded shard one in eight splits it, of a full one one in sixteen: one suffices. */
const crowdedSplits = 1 / 8;
const fullSplits = 1 / 16;
/** Shards on the way of one call that were merged away or had no room. */
const maxDetours = 16;
/** A split tenant's refusal holds for its process so long: refused calls do not read all shards again. */
const refusedMs = 1000;
const maxTenants = 1000;

/** Which shards this process uses: its rank among them, and how often the one it saw last was split. */
interface Home {
  readonly rank: number;
  readonly depth: number;
}

interface Refused {
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

/** Reserves for calls that something holds. */
export function counterReserve(options: ReserveOptions): (request: ReserveRequest) => Promise<ReserveOutcome> {
  const { queue, shards, places, clock, random } = options;
  const book = new LeaseBook();
  const homes = new RecentMap<string, Home>({ max: maxTenants });
  const looking = new Map<string, Promise<number>>();
  const refusals = new RecentMap<string, Refused>({ max: maxTenants });

  return async (request) => {
    const now = clock.now();
    book.note(request, now);
    const lease = book.spend(request, now);
    if (!lease) return refusedBefore(request, now) ?? (await somewhere(request));
    places.put(request.id, { book, lease, tokens: request.tokens });
    return outcomeOf(lease);
  };

  /** One shard after the other, until one lets the call pass or all together refuse it. */
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
      } else {
        detours++;
        const next = await roomier(request, stepped.outcome.what, detours);
        if (typeof next === 'object') return next;
        shard = next ?? shard;
      }
    }
    throw tooBusy();
  }

  /** The shard to try next after one refused, undefined for the same; or the refusal of all of them. */
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
    return asMuch && sameRates(request.limits, limits) ? known.outcome : undefined;
  }

  /** @param bounded refuses a shard in which many calls of other processes are open: `full`. */
  async function reserveAt(
    shard: number,
    request: ReserveRequest,
    bounded: boolean,
  ): Promise<Stepped<ReserveOutcome | 'full'>> {
    const { tenant, limits, id } = request;
    const home = homes.get(tenant) ?? { rank: 0, depth: 0 };
    const requests = book.sizeFor(request, home.depth);
    const former = book.takeBack(tenant, shard);
    const returned = former && returnOf(former);
    let leasedUntil: number | undefined;
    let others = 0;
    const reserving: Transition<ReserveOutcome | 'full'> = (state, now, wanted) => {
      leasedUntil = undefined;
      others = othersIn(state);
      const hurried = latelyIn(state, now) - book.own(tenant, shard, now) >= fullSecond;
      if (bounded && (others >= fullAt || hurried)) return { state, outcome: 'full' };
      book.counted(tenant, shard, now);
      const here = { ...request, limits: limitsAt(limits, shard, state.depth) };
      const lease = { id, requests, returned };
      const leased = requests > 0 ? applyLease(state, here, lease, now) : undefined;
      if (!leased?.outcome.ok) {
        return applyReserve(returned ? returnLease(state, returned, now) : state, here, now, wanted);
      }
      leasedUntil = Math.floor(now / 1000) + rateLeaseSeconds;
      return leased;
    };
    // Before the step: a call knows those that are written with it for calls of this process.
    places.put(id, shard);
    const step = () => queue.step(tenant, shard, reserving);
    const stepped = await (requests > 0 ? book.taking(tenant, step) : step());
    if (stepped.kind !== 'gone') homes.set(tenant, { rank: home.rank, depth: stepped.depth });
    if (stepped.kind !== 'done' || stepped.outcome === 'full' || !stepped.outcome.ok) {
      places.drop(id);
      if (former) book.keep(tenant, former);
      return stepped;
    }
    const outcome = tenantOutcome(stepped.outcome, limits, stepped.depth);
    if (leasedUntil !== undefined) hold(request, { shard, second: leasedUntil, requests, status: outcome.limits });
    if (bounded && others >= crowdedAt && random() < crowdedSplits) await shards.split(shard, request);
    return { ...stepped, outcome };
  }

  /** Open calls of other processes: those of this one need no room of their own. */
  function othersIn({ open }: CounterState): number {
    return open.length < crowdedAt ? 0 : open.filter((one) => !places.has(one.id)).length;
  }

  /** What a shard let pass in this second. */
  function latelyIn({ window, leases }: CounterState, now: number): number {
    const second = Math.floor(now / 1000);
    const taken = leases.filter((lease) => lease.second === second + rateLeaseSeconds).length;
    return taken + (window.findLast((bucket) => bucket.second === second)?.requests ?? 0);
  }

  /** The call at hand is the first to spend from a new lease. */
  function hold(
    { id, tenant, limits, tokens }: ReserveRequest,
    taken: { readonly shard: number; readonly second: number; readonly requests: number; readonly status: LimitStatus },
  ): void {
    const { shard, second, requests, status } = taken;
    const requestsLeft = requests - 1;
    const tokensLeft = requestsLeft * tokens;
    const lease: HeldLease = {
      id,
      shard,
      limits,
      second,
      status,
      requestsLeft,
      tokensLeft,
      requestsUsed: 1,
      tokensUsed: tokens,
    };
    book.hold(tenant, lease);
    places.put(id, { book, lease, tokens });
  }

  /** A process that knows nothing of a tenant looks before it writes: all of them begin at the first shard. */
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
