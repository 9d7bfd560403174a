/** Rollouts, which move a model's traffic to another provider in stages. */

export const rolloutStates = ['pending', 'running', 'paused', 'completed', 'rolled_back'] as const;
export type RolloutState = (typeof rolloutStates)[number];

const rolloutArms = ['baseline', 'canary'] as const;
export type RolloutArm = (typeof rolloutArms)[number];

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Parses `90s`, `5m` or `1h` into milliseconds. Returns undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * units[unit as keyof typeof units];
}

export interface Rollout {
  readonly id: string;
  /** The tenant whose traffic moves, or `*` for all tenants. */
  readonly tenant: string;
  readonly route_model: string;
  /** The route's providers when the rollout was created. */
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
  /** When the current observation began: at the start of the stage, or when it was resumed. */
  readonly stage_started_at: string;
  readonly created_at: string;
  readonly created_by: string;
  /** The tenant whose evidence records the moves. */
  readonly created_in: string;
  readonly completed_at?: string;
  readonly rollback_reason?: string;
  /** Number of the current observation. Data from an earlier observation is never used for a later one. */
  readonly observation: number;
  /** Number of moves so far. A move fails if another one was made first. */
  readonly revision: number;
}

/** Rollout that a call was part of, as recorded in evidence. */
export interface RolloutMark {
  readonly id: string;
  readonly observation: number;
  readonly arm: RolloutArm;
  readonly canary: string;
}

export const isOpen = ({ state }: Pick<Rollout, 'state'>): boolean =>
  state === 'pending' || state === 'running' || state === 'paused';
