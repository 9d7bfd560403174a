/**
 * Pure transitions of a tenant's counters. Each returns the resulting state; if it is the same object, nothing changed.
 */
import { isoTime } from '#core/kernel/ports.ts';
import type { CounterState, CounterTransition, Reservation, WantedSlices } from './counter-state.ts';
import {
  type OpenReservation,
  type ReserveOutcome,
  type ReserveRequest,
  reservationLeaseSeconds,
  type Settlement,
} from './ports.ts';
import { refusalOf } from './refusal.ts';
import { accountKey, isKept } from './spend.ts';
import { budgetStatuses, limitStatus } from './status.ts';
import { addToBucket, inWindow, itemSecond } from './window.ts';

/**
 * Reserves a call. A repeated id refers to the same reservation, because the response to a write may get lost.
 * @param wanted collects slices that are too small and lets their calls pass for now. If absent, such calls are
 * refused.
 */
export function applyReserve(
  state: CounterState,
  request: ReserveRequest,
  nowMs: number,
  wanted?: WantedSlices,
): CounterTransition<ReserveOutcome> {
  const { limits } = request;
  const accepted = (after: CounterState): CounterTransition<ReserveOutcome> => ({
    state: after,
    outcome: { ok: true, limits: limitStatus(after, limits, nowMs), budgets: budgetStatuses(after, limits, nowMs) },
  });
  if (state.open.some(({ id }) => id === request.id)) return accepted(state);
  const refusal = refusalOf(state, request, nowMs, wanted);
  if (refusal) return { state, outcome: { ok: false, ...refusal, limits: limitStatus(state, limits, nowMs) } };
  const second = itemSecond(state.window, nowMs);
  const reservation: Reservation = {
    id: request.id,
    session_id: request.session_id,
    from_index: request.from_index ?? 0,
    second,
    tokens: request.tokens,
    cost_microusd: request.cost_microusd,
    accounts: limits.budgets.map((budget) => accountKey(budget, nowMs)),
    begun: request.begun === true,
    lease_ends_ms: nowMs + reservationLeaseSeconds * 1000,
    ...(request.call && { call: request.call }),
  };
  return accepted(
    pruneState(
      {
        ...state,
        window: addToBucket(state.window, second, { requests: 1, tokens: request.tokens }),
        slices: touched(state.slices, reservation),
        open: [...state.open, reservation],
      },
      nowMs,
    ),
  );
}

/**
 * Records that the provider is being called, and renews the lease. The outcome is false if the reservation has ended.
 */
export const applyBegin = (state: CounterState, id: string, nowMs: number): CounterTransition<boolean> =>
  renewReservation(state, id, nowMs, true);

export const applyExtend = (state: CounterState, id: string, nowMs: number): CounterTransition<boolean> =>
  renewReservation(state, id, nowMs, false);

/** Settles a call by correcting its bucket and booking the cost in the reservation's period. */
export function applySettle(
  state: CounterState,
  id: string,
  settlement: Settlement,
  nowMs: number,
): CounterTransition<boolean> {
  const reservation = state.open.find((open) => open.id === id);
  if (!reservation || !isMeant(reservation, settlement)) return { state, outcome: false };
  const spend = { ...state.spend };
  if (settlement.cost_microusd > 0) {
    for (const key of reservation.accounts) spend[key] = (spend[key] ?? 0) + settlement.cost_microusd;
  }
  const window = inWindow(state.window, itemSecond(state.window, nowMs));
  const charged = window.some(({ second }) => second === reservation.second);
  const correction = { requests: settlement.counted ? 0 : -1, tokens: settlement.tokens - reservation.tokens };
  return {
    state: pruneState(
      {
        ...state,
        window: charged ? addToBucket(window, reservation.second, correction) : window,
        spend,
        open: state.open.filter((open) => open !== reservation),
      },
      nowMs,
    ),
    outcome: true,
  };
}

/** Returns the reservations whose lease has ended. */
export const expiredReservations = (state: CounterState, tenant: string, nowMs: number): readonly OpenReservation[] =>
  state.open
    .filter(({ lease_ends_ms }) => lease_ends_ms <= nowMs)
    .map(({ id, session_id, from_index, second, tokens, cost_microusd, begun, lease_ends_ms, call }) => ({
      id,
      tenant,
      session_id,
      from_index,
      tokens,
      cost_microusd,
      begun,
      ...(call && { call }),
      lasted_ms: Math.max(0, lease_ends_ms - (second + reservationLeaseSeconds) * 1000),
      lease_expires_at: isoTime(lease_ends_ms),
    }));

function renewReservation(state: CounterState, id: string, nowMs: number, begins: boolean): CounterTransition<boolean> {
  const reservation = state.open.find((open) => open.id === id);
  if (!reservation) return { state, outcome: false };
  const lease_ends_ms = Math.max(reservation.lease_ends_ms, nowMs + reservationLeaseSeconds * 1000);
  const begun = reservation.begun || begins;
  if (lease_ends_ms === reservation.lease_ends_ms && begun === reservation.begun) return { state, outcome: true };
  const after = { ...reservation, begun, lease_ends_ms };
  return { state: { ...state, open: state.open.map((open) => (open === reservation ? after : open)) }, outcome: true };
}

/**
 * Checks that healing settles the same reservation that it read. A call that has renewed its lease since then is left
 * alone.
 */
const isMeant = (reservation: Reservation, { lease_expires_at }: Settlement): boolean =>
  lease_expires_at === undefined || lease_expires_at === isoTime(reservation.lease_ends_ms);

/** Marks a call's slices as used. A free call does not prevent a slice from being returned. */
function touched(slices: CounterState['slices'], reservation: Reservation): CounterState['slices'] {
  const used = { ...slices };
  for (const key of reservation.accounts) {
    const slice = slices[key];
    if (slice) used[key] = { ...slice, ...(reservation.cost_microusd > 0 && { used_at: reservation.second }) };
  }
  return used;
}

/** Removes expired counts, so that an item contains just one minute and two periods. */
function pruneState(state: CounterState, nowMs: number): CounterState {
  return {
    ...state,
    window: inWindow(state.window, itemSecond(state.window, nowMs)),
    spend: withoutExpired(state.spend, nowMs),
    slices: withoutExpired(state.slices, nowMs),
  };
}

/**
 * Returns the map without expired entries. If all entries are kept, which is the normal case, it is the same object.
 */
function withoutExpired<T>(byKey: Readonly<Record<string, T>>, nowMs: number): Readonly<Record<string, T>> {
  if (Object.keys(byKey).every((key) => isKept(key, nowMs))) return byKey;
  return Object.fromEntries(Object.entries(byKey).filter(([key]) => isKept(key, nowMs)));
}
