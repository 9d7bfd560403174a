/** Pause that ends early on abort. */
import type { Timeouts } from '#core/kernel/ports.ts';

/** Resolves after `ms` milliseconds, or when the signal aborts. Check the signal to see which came first. */
export function pause(timeouts: Timeouts, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    let cancel = (): void => {};
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done, { once: true });
    cancel = timeouts.after(ms, done);
  });
}
