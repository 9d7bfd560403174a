/**
 * The breakers that environments share, in the `breakers` row of the `counters` table [chat.breaker]. Attributes, per
 * provider: `state/<name>` — the state; `window/<name>`, `calls/<name>`, `faults/<name>` — the sums reported by all
 * environments in the current window. Access patterns: reading the row together with the configuration; replacing a
 * state based on its epoch (conditional update); adding a report to its window, or starting a new window (conditional
 * update).
 */

import type { BreakerBoard, SharedBreaker } from '#core/models/routing/breaker-board.ts';
import type { PointerCompanion } from './config-table.ts';
import type { Change, Condition, Row, StoreOptions } from './store.ts';

const key = { id: 'breakers' };
const statePrefix = 'state/';

export interface BreakersTable extends BreakerBoard, PointerCompanion {}

const tallyNames = (provider: string) => ({
  window: `window/${provider}`,
  calls: `calls/${provider}`,
  faults: `faults/${provider}`,
});

export function breakersTable({ store }: StoreOptions): BreakersTable {
  const states = new Map<string, SharedBreaker>();

  /** Applies the states in a row. An older state never replaces a newer one. */
  const take = (row: Row | undefined): void => {
    for (const [name, value] of Object.entries(row ?? {})) {
      if (!name.startsWith(statePrefix)) continue;
      const provider = name.slice(statePrefix.length);
      const state = value as SharedBreaker;
      if (state.epoch > (states.get(provider)?.epoch ?? 0)) states.set(provider, state);
    }
  };

  return {
    table: 'counters',
    key,
    take,
    seen: (provider) => states.get(provider),

    async change(provider, from, to) {
      const name = statePrefix + provider;
      const unchanged: Condition = from ? { equals: [[name, 'epoch'], from.epoch] } : { absent: name };
      const set = { [name]: { ...to } };
      const { written, row } = await store.update('counters', key, { set }, { if: unchanged, current: true });
      if (written) states.set(provider, to);
      else take(row);
      return written;
    },

    async add(provider, window, tally) {
      const names = tallyNames(provider);
      const { calls, faults } = tally;
      const begin: Change = { set: { [names.window]: window, [names.calls]: calls, [names.faults]: faults } };
      const more: Change = { add: { [names.calls]: calls, [names.faults]: faults } };
      for (const begins of [false, true, false]) {
        const { written, row = {} } = await store.update('counters', key, begins ? begin : more, {
          if: begins
            ? { any: [{ absent: names.window }, { differs: [names.window, window] }] }
            : { equals: [names.window, window] },
          after: true,
        });
        if (written) return { calls: Number(row[names.calls] ?? calls), faults: Number(row[names.faults] ?? faults) };
      }
      return tally; // environments with different clocks or configurations alternate windows: no conclusion
    },
  };
}
