/**
 * Computes latency percentiles from counts per bin [admin.analytics]: a DDSketch with logarithmic bins. The sum of two
 * sketches is the sketch of all their values, so minutes, tenants and processes can be merged without loss.
 */
import { type Measures, membersOf } from './measures.ts';

/** A bin's midpoint is within 1 % of each value in it. Rounding to whole milliseconds adds less than another 1 %. */
const accuracy = 0.01;
const gamma = (1 + accuracy) / (1 - accuracy);
const logGamma = Math.log(gamma);
/** One day. Longer latencies count as one day, so that a sketch has at most 915 bins. */
const longestMs = 86_400_000;
/** Prefix of the bins' measures: `ms:<bin>`. */
const prefix = 'ms';
/** Bin of values below one millisecond. */
const zero = 'z';

/** Returns the measure of one latency. @param ms whole milliseconds, not negative */
export const latencyMeasures = (ms: number): Measures => ({ [`${prefix}:${binOf(ms)}`]: 1 });

const binOf = (ms: number): string =>
  ms < 1 ? zero : String(Math.ceil(Math.log(Math.min(ms, longestMs)) / logGamma - 1e-9));

/** Returns a bin's midpoint in whole milliseconds. */
const middleOf = (bin: string): number => (bin === zero ? 0 : Math.round((2 * gamma ** Number(bin)) / (gamma + 1)));

/**
 * Returns the latencies that the given shares of calls did not exceed, in milliseconds, by nearest rank. They are
 * within 2 % of the exact values.
 * @param shares each in (0, 1]
 * @returns null for each share if no latency was counted
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
