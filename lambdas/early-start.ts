/**
 * Composes the ports and reads the configuration for the first time while a function is being loaded
 * [cloud.early-start], because Lambda provides a whole vCPU at that time, but only a share of it once calls begin.
 */
import { importNeededSoon } from '#core/kernel/lazy-import.ts';
import type { Timeouts } from '#core/kernel/ports.ts';

/** Maximum wait for the first read, in milliseconds. Lambda terminates a function that takes ten seconds to load. */
const earlyMs = 4_000;

/**
 * Composes immediately and starts `first`. Failures, and work that takes longer than `earlyMs`, are left to the first
 * call; never throws.
 * @param first preparatory work. Calls must not await this run; they start the work again.
 * @returns a function that returns the composition, and composes again if the first attempt failed.
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
    begun.catch(() => {}); // including a failure that occurs later
    void importNeededSoon();
    await Promise.race([begun, late.promise]);
  } catch {
    // The first call fails in the same way and reports it.
  } finally {
    cancel();
  }
  return ready;
}
