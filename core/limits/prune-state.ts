/** Removes expired counts on every write, so that an item contains just one minute and two periods. */
import type { CounterState } from './counter-state.ts';
import { isKept } from './spend.ts';
import { inWindow, itemSecond, windowSeconds } from './window.ts';

export function pruneState(state: CounterState, nowMs: number): CounterState {
  const second = itemSecond(state.window, nowMs);
  const isLive = (lease: { readonly second: number }) => lease.second >= second - windowSeconds;
  return {
    ...state,
    window: inWindow(state.window, second),
    spend: withoutExpired(state.spend, nowMs),
    slices: withoutExpired(state.slices, nowMs),
    leases: state.leases.every(isLive) ? state.leases : state.leases.filter(isLive),
  };
}

/**
 * Returns the map without expired entries. If all entries are kept, which is the normal case, it is the same object.
 */
function withoutExpired<T>(byKey: Readonly<Record<string, T>>, nowMs: number): Readonly<Record<string, T>> {
  if (Object.keys(byKey).every((key) => isKept(key, nowMs))) return byKey;
  return Object.fromEntries(Object.entries(byKey).filter(([key]) => isKept(key, nowMs)));
}
