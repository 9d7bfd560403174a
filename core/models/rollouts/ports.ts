/** Where rollouts are kept. */
import type { Rollout } from '#core/contracts/rollout.ts';

/** Owns the time of rollouts: looks at one again and again until it is over. Starting one twice is success. */
export interface RolloutClock {
  start(id: string): Promise<void>;
}

export interface Rollouts {
  get(id: string): Promise<Rollout | undefined>;
  /** Newest first, at most 200. */
  list(): Promise<readonly Rollout[]>;
  /** Those that move traffic or wait to: open ones, and the completed one of each model. Oldest first. */
  inForce(): Promise<readonly Rollout[]>;
}
