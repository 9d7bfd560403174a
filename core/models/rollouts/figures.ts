/**
 * Metrics for both arms of a rollout since the start of its stage, from the analytics of its calls [rollout.states].
 */
import type { rolloutArmSchema } from '#core/contracts/answers/rollouts.ts';
import type { Rollout, RolloutArm } from '#core/contracts/rollout.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { minuteMs } from '#core/kernel/durations.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { totalsOf } from '#core/observatory/buckets.ts';
import { everyTenant, rolloutDimension } from '#core/observatory/dimensions.ts';
import { addUp, type Measures, membersOf } from '#core/observatory/measures.ts';
import type { Observations } from '#core/observatory/ports.ts';
import type { CanaryFigures } from './judge.ts';

type ArmFigures = Shape<typeof rolloutArmSchema>;

/**
 * Returns the metrics for both arms, and the canary's metrics for judging its stage.
 * @param nowMs epoch milliseconds
 */
export async function figuresOf(
  observations: Pick<Observations, 'minutes'>,
  rollout: Rollout,
  nowMs: number,
): Promise<{ readonly baseline: ArmFigures; readonly canary: ArmFigures; readonly judged: CanaryFigures }> {
  const [baseline, canary] = await Promise.all(
    (['baseline', 'canary'] as const).map((arm) => sumsOf(observations, rollout, arm, nowMs)),
  );
  const { requests, errors, p95_latency_ms } = totalsOf([canary!]);
  const timed = membersOf(canary!, 'ms').reduce((sum, [, count]) => sum + count, 0);
  return {
    baseline: armFigures(baseline!),
    canary: armFigures(canary!),
    judged: { requests, errors, timed, p95_latency_ms },
  };
}

/**
 * Returns the sums of one arm since the start of its stage. The dimension covers only this observation, so the first
 * minute can be counted in full.
 */
async function sumsOf(
  observations: Pick<Observations, 'minutes'>,
  rollout: Rollout,
  arm: RolloutArm,
  nowMs: number,
): Promise<Measures> {
  const began = Math.floor(Date.parse(rollout.stage_started_at) / minuteMs) * minuteMs;
  const dimension = rolloutDimension(rollout.id, rollout.observation, arm);
  const minutes = await observations.minutes(everyTenant, { dimension, from: isoTime(began), to: isoTime(nowMs) });
  return addUp(minutes.map(({ measures }) => measures));
}

function armFigures(sums: Measures): ArmFigures {
  const { requests, errors, error_rate, p50_latency_ms, p95_latency_ms, cost_usd } = totalsOf([sums]);
  return { requests, errors, error_rate, p50_latency_ms, p95_latency_ms, cost_usd };
}
