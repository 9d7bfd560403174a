/**
 * Rate limits and budgets [limit.rate] [limit.budget] [limit.shards]: versioned items, rewritten optimistically. Access
 * patterns: a shard's item (put if its version is current; a refused write returns the item, so that a step is usually
 * one write and no read); two or more shards in one transaction (split, merge); all shards of a tenant (one consistent
 * Get, and one BatchGet if it was split); a global budget's item (consistent Get, changed in one transaction with a
 * shard). A tenant without limits or budgets has an item only for its streams.
 */
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { withKeys } from '#core/limits/key-counters.ts';
import { type Counters, isLimited, type Limits } from '#core/limits/ports.ts';
import { mergeShards } from '#core/limits/shards.ts';
import { applyReclaim } from '#core/limits/slices.ts';
import { accountKey } from '#core/limits/spend.ts';
import { applyBegin, applyExtend, applySettle, expiredReservations } from '#core/limits/state.ts';
import { budgetStatuses, limitStatus } from '#core/limits/status.ts';
import { countersPlaces } from './counters-places.ts';
import { countersQueue } from './counters-queue.ts';
import { counterReserve } from './counters-reserve.ts';
import { countersShards } from './counters-shards.ts';
import { countersStore } from './counters-store.ts';
import type { StoreOptions } from './store.ts';

interface CountersOptions extends StoreOptions {
  readonly clock: Clock;
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

export const countersTable = (options: CountersOptions): Counters => withKeys(countersOf(options));

function countersOf(options: CountersOptions): Counters {
  const { clock } = options;
  const random = options.random ?? Math.random;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const store = countersStore(options.store);
  const queue = countersQueue({ store, clock, pause, random });
  const shards = countersShards(store, queue, clock, random);
  const places = countersPlaces(store, queue);
  const reserve = counterReserve({ queue, shards, places, clock, random });

  return {
    async reserve(request) {
      assertCounts(request.tokens, request.cost_microusd);
      // A stream always has a reservation: if its process ends, the sweep finds the call's details there [chat.killed].
      if (isLimited(request.limits) || request.call?.stream) return reserve(request);
      places.put(request.id, 'uncounted');
      return { ok: true, limits: {}, budgets: [] };
    },
    async begin(tenant, id) {
      if (await places.step(tenant, id, (state, now) => applyBegin(state, id, now))) return;
      throw new GatewayError(
        'service_unavailable',
        'The call waited too long and its reservation has ended. Try again.',
        { retryAfterSeconds: 1 },
      );
    },
    async extend(tenant, id) {
      await places.step(tenant, id, (state, now) => applyExtend(state, id, now));
    },
    async settle(tenant, id, settlement) {
      assertCounts(settlement.tokens, settlement.cost_microusd);
      await places.step(tenant, id, (state, now) => applySettle(state, id, settlement, now));
      places.drop(id);
    },
    async expired(tenant, untilMs = clock.now()) {
      const leaves = await store.readAll(tenant);
      return [...leaves].flatMap(([shard, { state }]) => {
        const expired = expiredReservations(state, tenant, untilMs);
        for (const { id } of expired) places.put(id, shard);
        return expired;
      });
    },
    async reclaim(tenant) {
      const leaves = await store.readAll(tenant);
      const sliced = [...leaves].filter(([, { state }]) => Object.keys(state.slices).length > 0);
      let given = 0;
      for (const [shard] of sliced) {
        const stepped = await queue.step(tenant, shard, applyReclaim, true);
        if (stepped.kind === 'done') given += stepped.outcome;
      }
      if (leaves.size > 1) await shards.mergeCalm(tenant);
      return given;
    },
    async status(tenant, limits) {
      const totalsRead = store.readTotals(globalKeys(limits, clock.now()));
      const [leaves, totals] = await Promise.all([store.readAll(tenant), totalsRead]);
      const state = mergeShards(
        [...leaves.values()].map((seen) => seen.state),
        0,
      );
      const now = clock.now();
      return {
        limits: limitStatus(state, limits, now),
        budgets: budgetStatuses(state, limits, now, totals),
        open: state.open.length,
        spend: state.spend,
      };
    },
  };
}

const globalKeys = ({ budgets }: Limits, nowMs: number): string[] =>
  budgets.filter(({ scope }) => scope === 'global').map((budget) => accountKey(budget, nowMs));

/** Rejects values that are not counts, because they would corrupt the item for all callers. */
function assertCounts(...counts: readonly number[]): void {
  for (const count of counts) {
    if (!Number.isSafeInteger(count) || count < 0)
      throw new GatewayError('server_error', `Counts must be whole numbers of at least 0; found ${count}.`);
  }
}
