/**
 * Composition and the first read of the configuration while a function is loaded [cloud.early-start]: Lambda then gives it a
 * whole vCPU, and at the first call only its share.
 */
import type { Timeouts } from '#core/kernel/ports.ts';

/** Milliseconds that loading waits for the first read. Lambda ends a function whose loading takes ten seconds. */
const earlyMs = 4_000;

/**
 * Composes now and begins `first`. What fails now, or takes longer than `earlyMs`, is left to the first call: nothing is thrown.
 * @param first the work whose result a call will need; it must not be awaited by calls, which start again.
 * @returns what was composed; composed again where that had failed.
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
    begun.catch(() => {}); // also when it ends late
    await Promise.race([begun, late.promise]);
  } catch {
    // The first call finds out, and tells its caller.
  } finally {
    cancel();
  }
  return ready;
}
