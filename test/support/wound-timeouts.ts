/** Timers that tests advance by hand. */
import type { Timeouts } from '#core/kernel/ports.ts';

export interface WoundTimeouts extends Timeouts {
  /** Runs the timeouts of exactly this length. */
  pass(ms: number): void;
  /** Resolves when a timeout of this length is set. */
  armed(ms: number): Promise<void>;
  readonly size: number;
}

export function woundTimeouts(): WoundTimeouts {
  const timers = new Set<{ readonly ms: number; readonly work: () => void }>();
  const wanting = new Set<() => void>();
  return {
    after(ms, work) {
      const timer = { ms, work };
      timers.add(timer);
      for (const look of wanting) look();
      return () => void timers.delete(timer);
    },
    pass(ms) {
      for (const timer of [...timers].filter((waiting) => waiting.ms === ms)) {
        timers.delete(timer);
        timer.work();
      }
    },
    armed: (ms) =>
      new Promise((resolve) => {
        const look = () => {
          if (![...timers].some((waiting) => waiting.ms === ms)) return;
          wanting.delete(look);
          resolve();
        };
        wanting.add(look);
        look();
      }),
    get size() {
      return timers.size;
    },
  };
}
