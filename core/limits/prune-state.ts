/** Removes expired counts on every write, so that an item contains just one minute and two periods. */
import type { CounterState } from './counter-state.ts';
import { isKept } from './spend.ts';
import { inWindow, itemSecond } from './window.ts';

export function pruneState(state: CounterState, nowMs: number): CounterState {
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
