/** Decides when a failed state runs again. */
import type { Retrier } from './definition.ts';
import { matches } from './states-error.ts';

interface RetryPlan {
  readonly delayMs: number;
  /** Tries counted per retrier, stored with the execution. */
  readonly counts: readonly number[];
}

/** Plans a retry by the first retrier that names the error. Undefined if none does or it has no attempts left. */
export function planRetry(
  retriers: readonly Retrier[],
  error: string,
  counts: readonly number[],
  random: () => number,
): RetryPlan | undefined {
  const index = retriers.findIndex((retrier) => matches(retrier.ErrorEquals, error));
  const retrier = retriers[index];
  const tried = counts[index] ?? 0;
  if (retrier === undefined || tried >= (retrier.MaxAttempts ?? 3)) return undefined;
  const grown = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** tried;
  const capped = Math.min(grown, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY) * 1000;
  return {
    delayMs: retrier.JitterStrategy === 'FULL' ? random() * capped : capped,
    counts: retriers.map((_, at) => (counts[at] ?? 0) + (at === index ? 1 : 0)),
  };
}
