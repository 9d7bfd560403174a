/** Where rollouts are kept. */
import type { Rollout } from '#core/contracts/rollout.ts';

export interface Rollouts {
  get(id: string): Promise<Rollout | undefined>;
  /** Newest first, at most 200. */
  list(): Promise<readonly Rollout[]>;
  /** Those that move traffic or wait to: open ones, and the completed one of each model. Oldest first. */
  inForce(): Promise<readonly Rollout[]>;
}
