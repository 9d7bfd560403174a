/** Converts sums per minute to buckets, for display and for rollouts [admin.analytics]. */
import type { bucketSchema } from '#core/contracts/answers/usage.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { addUp, type Measures } from './measures.ts';
import { toUsd } from './request-row.ts';
import { percentiles } from './sketch.ts';

/** Sums of one dimension for one minute or one hour. */
export interface TimedSums {
  /** Start of the minute or hour, ISO 8601. */
  readonly at: string;
  readonly measures: Measures;
}

export type Bucket = Shape<typeof bucketSchema>;
type Totals = Omit<Bucket, 'timestamp'>;

export const steps = { '1m': 60_000, '5m': 300_000, '1h': 3_600_000 } as const;
export type BucketStep = keyof typeof steps;

/** Parses a step; one minute by default. @throws GatewayError `invalid_request` for any other step. */
export function parseStep(text: string | undefined): BucketStep {
  if (text === undefined) return '1m';
  if (Object.hasOwn(steps, text)) return text as BucketStep;
  throw invalidRequest(`step is ${JSON.stringify(text.slice(0, 64))}; it must be 1m, 5m or 1h.`);
}

/** Returns the totals of several sums. Sketches are merged, so percentiles are those of all calls, not averages. */
export function totalsOf(all: readonly Measures[]): Totals {
  const [only, more] = all;
  if (!only || more) return totals(addUp(all));
  return totalsOfOne(only);
}

/** Cached, since a store repeatedly returns the same sums. */
const totalsOfOne = remembered((sum: Measures): Totals => totals(sum));

function totals(sum: Measures): Totals {
  const { requests = 0, errors = 0, blocked = 0, reviewed = 0, evaluations = 0, scores = 0 } = sum;
  const [p50, p95, p99] = percentiles(sum, [0.5, 0.95, 0.99]) as [number | null, number | null, number | null];
  return {
    requests,
    errors,
    error_rate: errors === 0 ? 0 : Math.min(1, Math.round((errors / Math.max(1, requests)) * 10_000) / 10_000),
    p50_latency_ms: p50,
    p95_latency_ms: p95,
    p99_latency_ms: p99,
    tokens: (sum.input_tokens ?? 0) + (sum.output_tokens ?? 0),
    cost_usd: toUsd(sum.cost_microusd ?? 0),
    blocked,
    reviewed,
    ...(evaluations > 0 && { evaluations }),
    ...(scores > 0 && { score: Math.round((sum.score_millionths ?? 0) / scores) / 1_000_000 }),
  };
}

/** Returns one bucket per step with traffic, oldest first. */
export function bucketsOf(sums: readonly TimedSums[], step: BucketStep): Bucket[] {
  const startOf = ({ at }: TimedSums) => Math.floor(Date.parse(at) / steps[step]) * steps[step];
  return [...Map.groupBy(sums, startOf)]
    .sort(([a], [b]) => a - b)
    .map(([start, together]) => ({
      timestamp: isoTime(start),
      ...totalsOf(together.map(({ measures }) => measures)),
    }));
}
