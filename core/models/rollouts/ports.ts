/** Store and clock of rollouts. */
import type { Rollout } from '#core/contracts/rollout.ts';

/** Timer that checks a rollout repeatedly until it is over. Starting it twice for the same rollout succeeds. */
export interface RolloutClock {
  start(id: string): Promise<void>;
}

export interface Rollouts {
  get(id: string): Promise<Rollout | undefined>;
  /** Lists rollouts, newest first, at most 200. */
  list(): Promise<readonly Rollout[]>;
  /**
   * Lists rollouts that move traffic or are pending: all open ones, and the completed one of each model. Oldest first.
   */
  inForce(): Promise<readonly Rollout[]>;
}
