/** What no longer counts goes at every write: an item stays as small as a minute and two periods. */
import type { CounterState } from './counter-state.ts';
import { isKept } from './spend.ts';
import { inWindow, itemSecond, windowSeconds } from './window.ts';

export function tidied(state: CounterState, nowMs: number): CounterState {
  const second = itemSecond(state.window, nowMs);
  const kept = <T>(byKey: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(byKey).filter(([key]) => isKept(key, nowMs)));
  return {
    ...state,
    window: inWindow(state.window, second),
    spend: kept(state.spend),
    slices: kept(state.slices),
    leases: state.leases.filter((lease) => lease.second >= second - windowSeconds),
  };
}
