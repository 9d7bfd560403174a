/** Rollouts, which move traffic of a model to another provider in stages. */
import * as z from 'zod';

export const rolloutStates = ['pending', 'running', 'paused', 'completed', 'rolled_back'] as const;
export type RolloutState = (typeof rolloutStates)[number];

const rolloutArms = ['baseline', 'canary'] as const;
export type RolloutArm = (typeof rolloutArms)[number];

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const longestWindowMs = 7 * 24 * 3_600_000;

/** Parses `90s`, `5m` or `1h` to milliseconds. Undefined for any other text. */
export function durationMs(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * units[unit as keyof typeof units];
}

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

/** Defaults of a rollout. */
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
    .meta({ description: 'ISO 8601 time of the first stage; now without it.' }),
});

export interface Rollout {
  readonly id: string;
  /** The tenant whose traffic moves, or `*` for all. */
  readonly tenant: string;
  readonly route_model: string;
  /** Providers of the route when the rollout was created. */
  readonly baseline_providers: readonly string[];
  readonly canary_provider: string;
  readonly stages: readonly number[];
  /** Index in `stages`. */
  readonly current_stage: number;
  /** Percentage of traffic that the canary currently gets. */
  readonly current_percentage: number;
  readonly state: RolloutState;
  readonly observation_window_ms: number;
  readonly error_threshold: number;
  readonly latency_p95_threshold: number;
  readonly start_at?: string;
  /** When the current observation began: at the start of the stage, or at its resumption. */
  readonly stage_started_at: string;
  readonly created_at: string;
  readonly created_by: string;
  /** Tenant whose evidence records the moves. */
  readonly created_in: string;
  readonly completed_at?: string;
  readonly rollback_reason?: string;
  /** Number of the observation. Data of an earlier one is never used for a later one. */
  readonly observation: number;
  /** Number of moves. A move fails if another one came first. */
  readonly revision: number;
}

/** Rollout of a call, as recorded in evidence. */
export interface RolloutMark {
  readonly id: string;
  readonly observation: number;
  readonly arm: RolloutArm;
  readonly canary: string;
}

export const isOpen = ({ state }: Pick<Rollout, 'state'>): boolean =>
  state === 'pending' || state === 'running' || state === 'paused';
