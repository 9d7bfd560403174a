/**
 * Rate limit leases [limit.shards]: a process with many calls from a busy tenant takes several requests and their
 * tokens in one step and spends them in memory. The whole lease counts until it is returned, or until its end leaves
 * the window. A process that dies wastes at most one lease, and no limit is exceeded.
 */
import type { CounterState, CounterTransition, RateLease } from './counter-state.ts';
import type { Limits, ReserveOutcome, ReserveRequest } from './ports.ts';
import { pruneState } from './prune-state.ts';
import { refusalOf } from './refusal.ts';
import { limitStatus } from './status.ts';
import { addToBucket, itemSecond } from './window.ts';

/** Number of seconds during which a lease may be spent. */
export const rateLeaseSeconds = 10;
/** The maximum number of requests in a lease. */
export const maxLeased = 10;

/** The part of a returned lease that was spent. */
export interface ReturnedLease {
  readonly id: string;
  readonly requests: number;
  readonly tokens: number;
}

/** Reports whether a call may use a lease. Only calls without budgets or cost may. */
export const mayLease = ({ limits, cost_microusd }: ReserveRequest): boolean =>
  limits.budgets.length === 0 && cost_microusd === 0;

/**
 * Takes a lease for a number of calls like this one, and first gives the unspent part of the previous lease back to the
 * counters. A repeated id refers to the same lease. Refuses if less than a quarter of the limits would be left, because
 * other processes need that part.
 */
export function applyLease(
  before: CounterState,
  request: ReserveRequest,
  lease: { readonly id: string; readonly requests: number; readonly returned?: ReturnedLease | undefined },
  nowMs: number,
): CounterTransition<ReserveOutcome> {
  const { limits } = request;
  const outcome = (state: CounterState): ReserveOutcome => ({
    ok: true,
    limits: limitStatus(state, limits, nowMs),
    budgets: [],
  });
  if (before.leases.some(({ id }) => id === lease.id)) return { state: before, outcome: outcome(before) };
  const state = lease.returned ? returnLease(before, lease.returned, nowMs) : before;
  const tokens = request.tokens * lease.requests;
  const roomy = { ...request, tokens, limits: ampleOf(limits) };
  const refusal = refusalOf(state, roomy, nowMs, undefined, lease.requests);
  if (refusal) return { state: before, outcome: { ok: false, ...refusal, limits: limitStatus(before, limits, nowMs) } };
  const second = Math.floor(nowMs / 1000) + rateLeaseSeconds;
  const taken: RateLease = { id: lease.id, second, requests: lease.requests, tokens };
  const after = pruneState({ ...state, leases: [...state.leases, taken] }, nowMs);
  return { state: after, outcome: outcome(after) };
}

const ampleOf = ({ requests_per_minute, tokens_per_minute }: Limits): Limits => ({
  ...(requests_per_minute !== undefined && { requests_per_minute: Math.floor((requests_per_minute * 3) / 4) }),
  ...(tokens_per_minute !== undefined && { tokens_per_minute: Math.floor((tokens_per_minute * 3) / 4) }),
  budgets: [],
});

/** Ends a lease. Its spent part counts from the current moment, which is never earlier than the time of spending. */
export function returnLease(state: CounterState, { id, requests, tokens }: ReturnedLease, nowMs: number): CounterState {
  const lease = state.leases.find((one) => one.id === id);
  if (!lease) return state;
  const second = Math.min(lease.second, itemSecond(state.window, nowMs));
  return {
    ...state,
    leases: state.leases.filter((one) => one !== lease),
    window: addToBucket(state.window, second, { requests, tokens }),
  };
}
