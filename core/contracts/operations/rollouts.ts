/** Inputs and outputs of the rollout operations. */
import * as z from 'zod';
import { createRolloutSchema, rolloutStates } from '../rollout.ts';
import { count, milliseconds, type OperationContract, share, time, usd } from './operation.ts';

const rollout = z.strictObject({
  id: z.string(),
  tenant: z.string().meta({ description: 'Whose traffic it moves; * for all tenants.' }),
  route_model: z.string(),
  baseline_providers: z.array(z.string()),
  canary_provider: z.string(),
  stages: z.array(z.int()),
  current_stage: count.meta({ description: 'Index in stages.' }),
  current_percentage: z.number().meta({ description: 'Percent of the traffic that the canary gets now.' }),
  state: z.enum(rolloutStates),
  observation_window_ms: milliseconds,
  error_threshold: z.number().meta({ description: 'Percent.' }),
  latency_p95_threshold: milliseconds,
  start_at: time.optional(),
  stage_started_at: time,
  created_at: time,
  created_by: z.string(),
  completed_at: time.optional(),
  rollback_reason: z.string().optional(),
});

const latency = milliseconds.nullable();
const arm = z.strictObject({
  requests: count,
  errors: count,
  error_rate: share,
  p50_latency_ms: latency,
  p95_latency_ms: latency,
  cost_usd: usd,
});

export const rollouts = {
  createRollout: { input: createRolloutSchema, output: rollout, status: 201 },
  listRollouts: { output: z.strictObject({ rollouts: z.array(rollout) }) },
  getRollout: { output: z.strictObject({ rollout, metrics: z.strictObject({ baseline: arm, canary: arm }) }) },
  pauseRollout: { output: rollout },
  resumeRollout: { output: rollout },
  rollbackRollout: { output: rollout },
} satisfies Record<string, OperationContract>;
