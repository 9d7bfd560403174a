/**
 * Reads the sums of a time range for buckets of one step: whole hours as hours, the remainder before and after as
 * minutes.
 */
import { isoTime } from '#core/kernel/ports.ts';
import { type BucketStep, steps, type TimedSums } from './buckets.ts';
import { type Dimension, partsOf, type Scope } from './dimensions.ts';
import type { BucketQuery, HourStamps, Observations } from './ports.ts';

const minuteMs = steps['1m'];
const hourMs = steps['1h'];

/**
 * Returns the sums of a time range.
 * @param query its `from` and `to` are minutes, inclusive.
 * @param nowMs epoch milliseconds. The current hour counts as whole if the range extends to the present, since it has
 * no later minutes.
 * @param stamps the scope's stamps in the range: hours that have not changed since the last read are not re-read.
 * @returns sums in chronological order; several may have the same time.
 */
export async function sumsBetween(
  observations: Pick<Observations, 'minutes' | 'hours'>,
  scope: Scope,
  { step, ...query }: BucketQuery & { readonly step: BucketStep },
  nowMs: number,
  stamps?: HourStamps,
): Promise<readonly TimedSums[]> {
  const { dimension } = query;
  if (step !== '1h' || !hasHours(dimension)) return observations.minutes(scope, query);
  const { start, first, end, last } = wholeHours(query, nowMs);
  if (first >= last) return observations.minutes(scope, query);
  const between = (fromMs: number, endMs: number): BucketQuery => ({
    dimension,
    from: isoTime(fromMs),
    to: isoTime(endMs - minuteMs),
  });
  const parts = await Promise.all([
    start < first ? observations.minutes(scope, between(start, first), stamps) : [],
    observations.hours(scope, between(first, last), stamps),
    last < end ? observations.minutes(scope, between(last, end), stamps) : [],
  ]);
  return parts.flat();
}

/**
 * Reports whether a dimension has hourly sums. A data plane's reports replace its minutes and cannot be added to an
 * hour.
 */
const hasHours = (dimension: Dimension): boolean => partsOf(dimension)?.kind !== 'plane';

/**
 * Returns, in epoch milliseconds, the range from `start` (inclusive) to `end` (exclusive), and its whole hours from
 * `first` (inclusive) to `last` (exclusive).
 */
function wholeHours({ from, to }: BucketQuery, nowMs: number) {
  const start = floor(Date.parse(from), minuteMs);
  const end = floor(Date.parse(to), minuteMs) + minuteMs;
  const untilNow = end > floor(nowMs, minuteMs);
  return { start, first: ceil(start, hourMs), end, last: untilNow ? ceil(end, hourMs) : floor(end, hourMs) };
}

const floor = (ms: number, unit: number): number => Math.floor(ms / unit) * unit;
const ceil = (ms: number, unit: number): number => Math.ceil(ms / unit) * unit;
