/** Timers for local runs: setTimeout against a Clock, for spans of any length. */
import type { Clock } from '#core/kernel/ports.ts';
import type { Timers } from './asl/interpreter.ts';

/** Longest delay of one timer: setTimeout uses 32-bit delays, so longer spans are divided. */
const longestMs = 2 ** 31 - 1;

export function systemTimers(clock: Clock): Timers {
  return {
    at(epochMs, callback) {
      let handle: NodeJS.Timeout;
      const arm = () => {
        const left = epochMs - clock.now();
        handle = setTimeout(left <= longestMs ? check : arm, Math.max(0, Math.min(left, longestMs)));
      };
      const check = () => (clock.now() >= epochMs ? callback() : arm());
      arm();
      return () => clearTimeout(handle);
    },
  };
}
