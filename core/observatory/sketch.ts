/**
 * Percentiles of latencies from counts by bin [analytics.percentiles]: a DDSketch with logarithmic bins. A sum of two sketches is the
 * sketch of all their values, so minutes, tenants and processes merge without loss.
 */
import { type Measures, membersOf } from './measures.ts';

/** A bin's middle lies within 1 % of each value in it; rounding to whole milliseconds adds less than the other 1 %. */
const accuracy = 0.01;
const gamma = (1 + accuracy) / (1 - accuracy);
const logGamma = Math.log(gamma);
/** A day: what lasts longer counts as this long, so that a sketch has at most 915 bins. */
const longestMs = 86_400_000;
/** Measures of bins are named `ms:<bin>`. */
const prefix = 'ms';
/** The bin of values below one millisecond. */
const zero = 'z';

/** The measure that one latency adds. @param ms whole milliseconds, not negative */
export const latencyMeasures = (ms: number): Measures => ({ [`${prefix}:${binOf(ms)}`]: 1 });

const binOf = (ms: number): string =>
  ms < 1 ? zero : String(Math.ceil(Math.log(Math.min(ms, longestMs)) / logGamma - 1e-9));

/** The middle of a bin, in whole milliseconds. */
const middleOf = (bin: string): number => (bin === zero ? 0 : Math.round((2 * gamma ** Number(bin)) / (gamma + 1)));

/**
 * The latencies that given shares of the calls did not exceed, in milliseconds, by nearest rank: within 2 % of the exact ones.
 * @param shares each in (0, 1]
 * @returns null for each share when no latency was counted
 */
export function percentiles(measures: Measures, shares: readonly number[]): (number | null)[] {
  const bins = membersOf(measures, prefix)
    .map(([bin, count]) => ({ value: middleOf(bin), count }))
    .sort((a, b) => a.value - b.value);
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * total - 1e-9));
    let seen = 0;
    for (const { value, count } of bins) {
      seen += count;
      if (seen >= rank) return value;
    }
    return null;
  });
}
