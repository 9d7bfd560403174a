/** Schemas for rollouts: a request to create one, and the defaults in the configuration. */
import * as z from 'zod';
import { durationMs } from './rollout.ts';

const longestWindowMs = 7 * 24 * 3_600_000;

const rises = (stages: readonly number[]): boolean => stages.every((stage, at) => at === 0 || stage > stages[at - 1]!);

const stages = z
  .array(z.int().min(1).max(100))
  .min(1)
  .max(20)
  .refine(rises, 'stages that rise, each from 1 to 100')
  .meta({ description: 'Percentages of the traffic, rising within 1 to 100.' });
const observationWindow = z
  .string()
  .refine((text) => {
    const ms = durationMs(text);
    return ms !== undefined && ms >= 1_000 && ms <= longestWindowMs;
  }, 'a duration such as 90s, 5m or 1h, from 1s to 168h')
  .meta({ description: 'How long each stage is observed: a number with s, m or h, from 1s to 168h.' });
const errorThreshold = z
  .number()
  .min(0)
  .max(100)
  .meta({ description: 'Percent of canary calls that may fail, 0 to 100.' });
const latencyThreshold = z
  .number()
  .positive()
  .max(3_600_000)
  .meta({ description: 'Milliseconds that the 95th percentile of canary calls may take, at most one hour.' });

export const rolloutDefaultsSchema = z.strictObject({
  stages: stages.default([5, 25, 50, 100]),
  observation_window: observationWindow.default('5m'),
  error_threshold: errorThreshold.default(5),
  latency_p95_threshold: latencyThreshold.default(2_000),
});

export const createRolloutSchema = z.strictObject({
  route_model: z.string().min(1).max(200).meta({ description: 'Model name, or the pattern of a route.' }),
  canary_provider: z.string().min(1).max(200).meta({ description: 'Name of the provider that gets the traffic.' }),
  stages: stages.optional(),
  observation_window: observationWindow.optional(),
  error_threshold: errorThreshold.optional(),
  latency_p95_threshold: latencyThreshold.optional(),
  start_at: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'ISO 8601 time of the first stage; if absent, now.' }),
});
