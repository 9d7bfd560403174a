/**
 * Composes and first reads the configuration while a function is loaded [cloud.early-start]: Lambda then provides a
 * whole vCPU, but only a share of it at the first call.
 */
import { importNeededSoon } from '#core/kernel/lazy-import.ts';
import type { Timeouts } from '#core/kernel/ports.ts';

/** Maximum wait for the first read, in milliseconds. Lambda ends a function that loads for ten seconds. */
const earlyMs = 4_000;

/**
 * Composes now and starts `first`. Failures, and work longer than `earlyMs`, are left to the first call: never throws.
 * @param first preparatory work. Calls must not await it; they start it again.
 * @returns a function that returns the composition, and composes again if that had failed.
 */
export async function startedEarly<T>(
  compose: () => T,
  first: (made: T) => Promise<unknown>,
  timeouts: Timeouts,
): Promise<() => T> {
  let made: T | undefined;
  const ready = (): T => {
    made ??= compose();
    return made;
  };
  const late = Promise.withResolvers<void>();
  const cancel = timeouts.after(earlyMs, late.resolve);
  try {
    const begun = first(ready());
    begun.catch(() => {}); // including a late failure
    void importNeededSoon();
    await Promise.race([begun, late.promise]);
  } catch {
    // The first call fails in the same way and reports it.
  } finally {
    cancel();
  }
  return ready;
}
