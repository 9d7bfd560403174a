/** Repeats work at an interval. */
import type { Timeouts } from './ports.ts';

/** Repeats `work` until the returned function is called. A failure does not stop the repetition. */
export function repeat(timeouts: Timeouts, everyMs: number, work: () => Promise<void>): () => void {
  let cancel = () => {};
  const arm = () => {
    cancel = timeouts.after(everyMs, () => {
      work().catch(() => {});
      arm();
    });
  };
  arm();
  return () => cancel();
}
