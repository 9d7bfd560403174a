/** A manual clock and the timers that depend on it. */
import type { Timers } from '#adapters/local/asl/interpreter.ts';

export function fakeTime(startMs = Date.UTC(2026, 0, 1)) {
  let now = startMs;
  let due: { at: number; callback: () => void }[] = [];
  const timers: Timers = {
    at(at, callback) {
      const entry = { at, callback };
      if (at <= now) queueMicrotask(() => due.includes(entry) && fire(entry));
      due.push(entry);
      return () => {
        due = due.filter((other) => other !== entry);
      };
    },
  };
  const fire = (entry: { callback: () => void }) => {
    due = due.filter((other) => other !== entry);
    entry.callback();
  };
  return {
    clock: { now: () => now },
    timers,
    /** Returns when each pending timer is due, in seconds from now. */
    waiting: () => due.map(({ at }) => (at - now) / 1000).sort((a, b) => a - b),
    pass(seconds: number) {
      now += seconds * 1000;
      for (const entry of due.filter(({ at }) => at <= now).sort((a, b) => a.at - b.at)) fire(entry);
    },
  };
}
