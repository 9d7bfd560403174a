/** Detects traffic anomalies [alert.thresholds] by comparing the last five minutes with the preceding 24 hours. */
import type { Bucket } from '#core/observatory/buckets.ts';

/** Metrics of a bucket that are compared, with their names in messages. */
export const baselineMetrics = {
  error_rate: (bucket: Bucket): number | null => bucket.error_rate,
  p95_latency_ms: (bucket: Bucket): number | null => bucket.p95_latency_ms,
  requests_per_minute: (bucket: Bucket): number | null => bucket.requests,
  usd_per_minute: (bucket: Bucket): number | null => bucket.cost_usd,
} as const;
export type BaselineMetric = keyof typeof baselineMetrics;

/** Minimum number of minutes with traffic for a baseline. */
const leastBuckets = 60;

export interface Baseline {
  readonly mean: number;
  readonly deviation: number;
  readonly buckets: number;
}

/** Computes a baseline. @returns undefined if fewer than `leastBuckets` minutes contain the metric. */
export function baselineOf(history: readonly Bucket[], metric: BaselineMetric): Baseline | undefined {
  const values = metricValues(history, metric);
  if (values.length < leastBuckets) return undefined;
  const mean = averageOf(values);
  const variance = averageOf(values.map((value) => (value - mean) ** 2));
  return { mean, deviation: Math.sqrt(variance), buckets: values.length };
}

/** Returns the mean of the last minutes, or undefined if there was no traffic. */
export function recentOf(recent: readonly Bucket[], metric: BaselineMetric): number | undefined {
  const values = metricValues(recent, metric);
  return values.length === 0 ? undefined : averageOf(values);
}

/**
 * Returns the highest mean of the last minutes that counts as normal. Constant traffic has a deviation of zero, so the
 * deviation is taken to be at least a twentieth of the mean, or one percent for an error rate.
 */
export function upperBound({ mean, deviation }: Baseline, metric: BaselineMetric, sigmas: number): number {
  const least = Math.max(mean / 20, metric === 'error_rate' ? 0.01 : 0);
  return mean + sigmas * Math.max(deviation, least);
}

const metricValues = (buckets: readonly Bucket[], metric: BaselineMetric): number[] =>
  buckets.flatMap((bucket) => baselineMetrics[metric](bucket) ?? []);

const averageOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
