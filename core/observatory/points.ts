/** Sums by the minute as people read them: analytics of models, health of providers. */
import { addUp, type Measures, membersOf, percentile } from './measures.ts';

/** What one name added up to in one minute. */
export interface MinuteSums {
  /** ISO 8601 time of the minute. */
  readonly at: string;
  readonly name: string;
  readonly measures: Measures;
  /** The slowest call, in milliseconds. */
  readonly slowest?: number;
}

export interface AnalyticsPoint {
  readonly at: string;
  readonly requests: number;
  readonly errors: number;
  readonly blocked: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly cost_microusd: number;
  /** Of calls a model answered or failed to; absent where there was none. */
  readonly latency_ms?: { readonly average: number; readonly p50: number; readonly p95: number; readonly max: number };
}

/** One point a minute, all models together. */
export function analyticsPoints(sums: readonly MinuteSums[]): AnalyticsPoint[] {
  return [...Map.groupBy(sums, ({ at }) => at)].map(([at, together]) => {
    const measures = addUp(together.map((each) => each.measures));
    const latency = latencyOf(measures, slowestOf(together));
    return {
      at,
      requests: measures.requests ?? 0,
      errors: measures['outcome:failed'] ?? 0,
      blocked: measures['outcome:blocked'] ?? 0,
      outcomes: Object.fromEntries(membersOf(measures, 'outcome')),
      tokens: { input: measures.input_tokens ?? 0, output: measures.output_tokens ?? 0 },
      cost_microusd: measures.cost_microusd ?? 0,
      ...(latency && { latency_ms: latency }),
    };
  });
}

function latencyOf(measures: Measures, max: number | undefined): AnalyticsPoint['latency_ms'] {
  const counted = membersOf(measures, 'latency').reduce((sum, [, count]) => sum + count, 0);
  const p50 = percentile(measures, 0.5, max);
  const p95 = percentile(measures, 0.95, max);
  if (p50 === undefined || p95 === undefined) return undefined;
  return { average: Math.round((measures.latency_ms ?? 0) / counted), p50, p95, max: max ?? p95 };
}

function slowestOf(sums: readonly MinuteSums[]): number | undefined {
  const known = sums.flatMap(({ slowest }) => (slowest === undefined ? [] : [slowest]));
  return known.length === 0 ? undefined : Math.max(...known);
}

/** How a provider did lately, in words an operator acts on. */
export type Health = 'healthy' | 'degraded' | 'unhealthy' | 'unknown';

export interface ProviderHealth {
  readonly requests: number;
  readonly errors: number;
  readonly error_rate: number;
  readonly p95_latency_ms?: number;
  readonly health: Health;
}

const degradedFrom = 0.05;
const unhealthyFrom = 0.5;

/** Health of the provider from the sums of its last minutes. */
export function providerHealth(sums: readonly MinuteSums[], provider: string): ProviderHealth {
  const measures = addUp(sums.filter(({ name }) => name === provider).map((each) => each.measures));
  const { requests = 0, errors = 0 } = measures;
  const error_rate = requests === 0 ? 0 : Math.round((errors / requests) * 10_000) / 10_000;
  const p95 = percentile(measures, 0.95);
  return {
    requests,
    errors,
    error_rate,
    ...(p95 !== undefined && { p95_latency_ms: p95 }),
    health: requests === 0 ? 'unknown' : healthOf(error_rate),
  };
}

const healthOf = (errorRate: number): Health =>
  errorRate >= unhealthyFrom ? 'unhealthy' : errorRate >= degradedFrom ? 'degraded' : 'healthy';
