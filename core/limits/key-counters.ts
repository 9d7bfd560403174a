/**
 * Counters of tenants and of the keys that have limits of their own [limit.key]: a call of such a key is reserved with both,
 * side by side, and passes where both have room. Calls of other keys take no step more.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { Counters, KeyPart, LimitStatus, ReserveOutcome, ReserveRequest, Settlement } from './ports.ts';

/** Calls of one process whose key is remembered until they are settled; a forgotten one is healed from its evidence. */
const maxCalls = 50_000;

const nothing: Settlement = { tokens: 0, cost_microusd: 0, counted: false };

/** Both reservations of a call have an id: one process keeps them in one table. */
const idAtKey = (id: string): string => `${id}/key`;

/** The call that a reservation is of. */
export const callOfReservation = (id: string): string => id.split('/')[0]!;

export function withKeys(counters: Counters): Counters {
  const keyOf = new RecentMap<string, string>({ max: maxCalls });
  /** The same step on both. The tenant's answer counts. */
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

/** A refusal of one consumes nothing of the other: what was reserved there goes back. */
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
    if (passed(tenant)) await counters.settle(request.tenant, request.id, nothing);
    if (passed(key)) await counters.settle(part.counters, id, nothing);
  }
  if (tenant.status === 'rejected') throw tenant.reason;
  if (key.status === 'rejected') throw key.reason;
  const outcome = worse(tenant.value, key.value);
  if (outcome.ok) keyOf.set(request.id, part.counters);
  return outcome;
}

/** The refusal that lasts longer, else what is left of the tighter limits. */
function worse(tenant: ReserveOutcome, key: ReserveOutcome): ReserveOutcome {
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
