/**
 * Counters of tenants and of keys with their own limits [limit.key]. A call made with such a key makes a reservation
 * with both at the same time, and passes if both have room. Calls made with other keys need no extra step.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Counters, KeyPart, LimitStatus, ReserveOutcome, ReserveRequest, Settlement } from './ports.ts';

/** Maximum number of running calls whose key is remembered. A forgotten call is healed from its evidence. */
const maxCalls = 50_000;

const nothingUsed: Settlement = { tokens: 0, cost_microusd: 0, counted: false };

/**
 * Returns the id of the key's reservation. A process keeps both of a call's reservations in one table, so their ids
 * must differ.
 */
const idAtKey = (id: string): string => `${id}/key`;

export const callOfReservation = (id: string): string => id.split('/')[0]!;

export function withKeys(counters: Counters): Counters {
  const keyOf = new RecentMap<string, string>({ max: maxCalls });
  /** Runs a step for the tenant and, if the call's key has its own limits, for the key. */
  const both = (id: string, ofTenant: Promise<void>, ofKey: (own: string, id: string) => Promise<void>) => {
    const own = keyOf.get(id);
    return own === undefined ? ofTenant : Promise.all([ofTenant, ofKey(own, idAtKey(id))]).then(() => {});
  };
  return {
    ...counters,
    reserve: (request) =>
      request.key ? reserveBoth(counters, keyOf, request, request.key) : counters.reserve(request),
    begin: (tenant, id) => both(id, counters.begin(tenant, id), counters.begin),
    extend: (tenant, id) => both(id, counters.extend(tenant, id), counters.extend),
    async settle(tenant, id, settlement) {
      await both(id, counters.settle(tenant, id, settlement), (own, its) => counters.settle(own, its, settlement));
      keyOf.delete(id);
    },
  };
}

/** Makes a reservation with both the tenant and the key. If one refuses, the reservation with the other is released. */
async function reserveBoth(
  counters: Counters,
  keyOf: RecentMap<string, string>,
  { key: _, ...request }: ReserveRequest,
  part: KeyPart,
): Promise<ReserveOutcome> {
  const id = idAtKey(request.id);
  const [tenant, key] = await Promise.allSettled([
    counters.reserve(request),
    counters.reserve({ ...request, id, tenant: part.counters, limits: part.limits }),
  ]);
  const passed = (one: PromiseSettledResult<ReserveOutcome>) => one.status === 'fulfilled' && one.value.ok;
  if (!passed(tenant) || !passed(key)) {
    if (passed(tenant)) await counters.settle(request.tenant, request.id, nothingUsed);
    if (passed(key)) await counters.settle(part.counters, id, nothingUsed);
  }
  if (tenant.status === 'rejected') throw tenant.reason;
  if (key.status === 'rejected') throw key.reason;
  const outcome = worseOutcome(tenant.value, key.value);
  if (outcome.ok) keyOf.set(request.id, part.counters);
  return outcome;
}

/** Returns the refusal with the longer wait. If neither refused, returns the tighter limits and all budgets. */
function worseOutcome(tenant: ReserveOutcome, key: ReserveOutcome): ReserveOutcome {
  const limits = tighter(tenant.limits, key.limits);
  if (tenant.ok && key.ok) return { ok: true, limits, budgets: [...tenant.budgets, ...key.budgets] };
  if (tenant.ok) return { ...key, limits };
  if (key.ok) return { ...tenant, limits };
  return { ...(key.retryAfterSeconds > tenant.retryAfterSeconds ? key : tenant), limits };
}

function tighter(one: LimitStatus, other: LimitStatus): LimitStatus {
  const of = (what: 'requests' | 'tokens'): LimitStatus => {
    const left = (status: LimitStatus) => status[`remaining_${what}`] ?? Number.POSITIVE_INFINITY;
    const from = left(other) < left(one) ? other : one;
    const names = [`limit_${what}`, `remaining_${what}`, `reset_${what}`] as const;
    return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
  };
  return { ...of('requests'), ...of('tokens') };
}
