/** Determines an open rollout's next move from its data alone [rollout.states]. */
import type { Rollout } from '#core/contracts/rollout.ts';
import type { RolloutMove } from './moves.ts';

/** Canary metrics since `stage_started_at`. */
export interface CanaryFigures {
  readonly requests: number;
  /** Calls that failed at the provider, excluding caller faults and policy blocks. */
  readonly errors: number;
  /** Calls whose latency is known. */
  readonly timed: number;
  readonly p95_latency_ms: number | null;
}

/** Minimum number of calls required for a judgement. */
export const leastRequests = 20;
/** Quantile of the normal distribution for a 95 % interval. */
const z = 1.959963984540054;

/** Returns the lower end of the 95 % confidence interval (Wilson) for an error rate. */
export function lowerBound(errors: number, requests: number): number {
  if (requests === 0) return 0;
  const share = errors / requests;
  const square = z * z;
  const centre = share + square / (2 * requests);
  const spread = z * Math.sqrt((share * (1 - share)) / requests + square / (4 * requests * requests));
  return Math.max(0, (centre - spread) / (1 + square / requests));
}

/**
 * Judges a stage: it advances only after its window, with enough healthy calls, and is rolled back as soon as the data
 * requires it.
 * @param nowMs epoch milliseconds
 * @returns undefined if no move is due yet.
 */
export function judge(rollout: Rollout, canary: CanaryFigures, nowMs: number): RolloutMove | undefined {
  if (rollout.state === 'pending')
    return nowMs >= Date.parse(rollout.start_at ?? rollout.created_at) ? { type: 'start' } : undefined;
  if (rollout.state !== 'running') return undefined;
  const reason = unhealthyReason(rollout, canary);
  if (reason !== undefined) return { type: 'rollback', reason };
  const passed = nowMs - Date.parse(rollout.stage_started_at) >= rollout.observation_window_ms;
  if (!passed || canary.requests < leastRequests) return undefined;
  return { type: rollout.current_stage + 1 < rollout.stages.length ? 'promote' : 'complete' };
}

function unhealthyReason(
  rollout: Rollout,
  { requests, errors, timed, p95_latency_ms }: CanaryFigures,
): string | undefined {
  const failing = lowerBound(errors, requests) * 100;
  if (requests >= leastRequests && failing > rollout.error_threshold)
    return `error rate: ${errors} of ${requests} canary calls failed; at least ${failing.toFixed(1)} % with 95 % confidence, the limit is ${rollout.error_threshold} %`;
  if (timed >= leastRequests && p95_latency_ms !== null && p95_latency_ms > rollout.latency_p95_threshold)
    return `latency: the 95th percentile of ${timed} canary calls is ${p95_latency_ms} ms, the limit is ${rollout.latency_p95_threshold} ms`;
  return undefined;
}
