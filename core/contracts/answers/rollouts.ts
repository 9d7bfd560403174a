/** Rollouts in responses. */
import * as z from 'zod';
import { count, milliseconds, share, time, usd } from './parts.ts';

export const rolloutSchema = z.strictObject({
  id: z.string(),
  tenant: z.string().meta({ description: 'Tenant whose traffic it moves; * for all tenants.' }),
  route_model: z.string(),
  /** The route's providers when the rollout was created. */
  baseline_providers: z.array(z.string()),
  canary_provider: z.string(),
  stages: z.array(z.int()),
  current_stage: count.meta({ description: 'Index in stages.' }),
  current_percentage: z.number().meta({ description: 'Percent of the traffic that the canary gets now.' }),
  state: z.enum(['pending', 'running', 'paused', 'completed', 'rolled_back']),
  observation_window_ms: milliseconds,
  error_threshold: z.number().meta({ description: 'Percent.' }),
  latency_p95_threshold: milliseconds,
  start_at: time.optional(),
  /** When the current observation began: at the start of the stage, or when it was resumed. */
  stage_started_at: time,
  created_at: time,
  created_by: z.string(),
  completed_at: time.optional(),
  rollback_reason: z.string().optional(),
});

const latency = milliseconds.nullable();
export const rolloutArmSchema = z.strictObject({
  requests: count,
  errors: count,
  error_rate: share,
  p50_latency_ms: latency,
  p95_latency_ms: latency,
  cost_usd: usd,
});
