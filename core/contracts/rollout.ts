/** Rollouts, which move a model's traffic to another provider in stages. */
import type { rolloutSchema } from './answers/rollouts.ts';
import type { Shape } from './shape.ts';

const rolloutArms = ['baseline', 'canary'] as const;
export type RolloutArm = (typeof rolloutArms)[number];

const units = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Parses `90s`, `5m` or `1h` into milliseconds. Returns undefined for anything else. */
export function durationMs(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * units[unit as keyof typeof units];
}

export interface Rollout extends Shape<typeof rolloutSchema> {
  /** The tenant whose evidence records the moves. */
  readonly created_in: string;
  /** Number of the current observation. Data from an earlier observation is never used for a later one. */
  readonly observation: number;
  /** Number of moves so far. A move fails if another one was made first. */
  readonly revision: number;
}

export type RolloutState = Rollout['state'];

/** Rollout that a call was part of, as recorded in evidence. */
export interface RolloutMark {
  readonly id: string;
  readonly observation: number;
  readonly arm: RolloutArm;
  readonly canary: string;
}

export const isOpen = ({ state }: Pick<Rollout, 'state'>): boolean =>
  state === 'pending' || state === 'running' || state === 'paused';
