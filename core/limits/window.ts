/** A tenant's sliding window, with one bucket per second so that no period of 60 seconds exceeds the limit. */

export const windowSeconds = 60;

/** Counts of the calls admitted within one second. */
export interface Bucket {
  /** Seconds since the Unix epoch. */
  readonly second: number;
  readonly requests: number;
  readonly tokens: number;
}

export type CountedUnit = 'requests' | 'tokens';

/**
 * Returns the second in which a call is counted. This is the current one, or the newest bucket's if another process's
 * clock is slightly ahead, so that an item's time never runs backwards. A bucket that is more than a window ahead comes
 * from a broken clock.
 */
export function itemSecond(buckets: readonly Bucket[], nowMs: number): number {
  const now = Math.floor(nowMs / 1000);
  const newest = buckets.at(-1)?.second ?? now;
  return newest > now && newest <= now + windowSeconds ? newest : now;
}

/** Returns the buckets that still count. A bucket expires when its last moment, not its first, is 60 seconds old. */
export const inWindow = (buckets: readonly Bucket[], second: number): readonly Bucket[] =>
  buckets.every((bucket) => counts(bucket, second)) ? buckets : buckets.filter((bucket) => counts(bucket, second));

const counts = (bucket: Bucket, second: number): boolean =>
  bucket.second >= second - windowSeconds && bucket.second <= second + windowSeconds;

export const total = (buckets: readonly Bucket[], what: CountedUnit): number =>
  buckets.reduce((sum, bucket) => sum + bucket[what], 0);

/** Adds to a second's bucket, or subtracts from it, but never goes below zero. Drops empty buckets. */
export function addToBucket(
  buckets: readonly Bucket[],
  second: number,
  change: { readonly requests: number; readonly tokens: number },
): readonly Bucket[] {
  const before = buckets.find((bucket) => bucket.second === second) ?? { second, requests: 0, tokens: 0 };
  const after = {
    second,
    requests: Math.max(0, before.requests + change.requests),
    tokens: Math.max(0, before.tokens + change.tokens),
  };
  const empty = after.requests === 0 && after.tokens === 0;
  const place = buckets.indexOf(before);
  if (place !== -1 && !empty) return buckets.with(place, after);
  const others = place === -1 ? buckets : buckets.toSpliced(place, 1);
  if (empty) return others;
  if (second > (others.at(-1)?.second ?? 0)) return [...others, after];
  return [...others, after].sort((a, b) => a.second - b.second);
}

/**
 * Returns the number of seconds, at least 1, until this amount has left the window. If the window never contains that
 * much, returns the window's length.
 */
export function secondsUntilFreed(
  buckets: readonly Bucket[],
  second: number,
  what: CountedUnit,
  amount: number,
): number {
  let left = 0;
  for (const bucket of buckets) {
    left += bucket[what];
    if (left >= amount) return Math.max(1, secondsUntilGone(bucket, second));
  }
  return windowSeconds;
}

/** Returns the number of seconds until the window is empty, or 0 if it already is. */
export function secondsUntilEmpty(buckets: readonly Bucket[], second: number, what: CountedUnit): number {
  const last = buckets.findLast((bucket) => bucket[what] > 0);
  return last ? secondsUntilGone(last, second) : 0;
}

const secondsUntilGone = (bucket: Bucket, second: number): number => bucket.second + windowSeconds + 1 - second;
