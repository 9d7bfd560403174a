/** A provider's recent health, in terms that an operator can act on. */
import { type TimedSums, totalsOf } from './buckets.ts';

type Health = 'healthy' | 'degraded' | 'unhealthy' | 'unknown';

const degradedFrom = 0.05;
const unhealthyFrom = 0.5;

/** Returns a provider's health from the sums of its most recent minutes. */
export function providerHealth(sums: readonly TimedSums[]) {
  const { requests, errors, error_rate, p95_latency_ms } = totalsOf(sums.map(({ measures }) => measures));
  return {
    requests,
    errors,
    error_rate,
    ...(p95_latency_ms !== null && { p95_latency_ms }),
    health: requests === 0 ? 'unknown' : healthOf(error_rate),
  };
}

const healthOf = (errorRate: number): Health =>
  errorRate >= unhealthyFrom ? 'unhealthy' : errorRate >= degradedFrom ? 'degraded' : 'healthy';
