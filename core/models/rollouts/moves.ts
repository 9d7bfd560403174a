/** States and moves of a rollout, as a table and pure functions [rollout.states]. */
import type { Rollout, RolloutState } from '#core/contracts/rollout.ts';
import { invalidRequest } from '#core/kernel/errors.ts';

export type RolloutMove =
  | { readonly type: 'start' }
  | { readonly type: 'promote' }
  | { readonly type: 'complete' }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'rollback'; readonly reason: string };

const from: Readonly<Record<RolloutMove['type'], readonly RolloutState[]>> = {
  start: ['pending'],
  promote: ['running'],
  complete: ['running'],
  pause: ['running'],
  resume: ['paused'],
  rollback: ['pending', 'running', 'paused'],
};

/**
 * Returns the rollout after a move.
 * @param now ISO 8601
 * @throws GatewayError `invalid_request` if the state does not allow the move.
 */
export function applyMove(rollout: Rollout, move: RolloutMove, now: string): Rollout {
  if (!from[move.type].includes(rollout.state))
    throw invalidRequest(
      `Rollout ${rollout.id} is ${rollout.state}; ${move.type} is possible while it is ${from[move.type].join(' or ')}.`,
    );
  const next = { ...rollout, revision: rollout.revision + 1 };
  const observed = { stage_started_at: now, observation: rollout.observation + 1 };
  switch (move.type) {
    case 'start':
      return { ...next, ...observed, state: 'running', current_percentage: rollout.stages[0]! };
    case 'promote': {
      const current_stage = rollout.current_stage + 1;
      const current_percentage = rollout.stages[current_stage];
      if (current_percentage === undefined) throw new Error('the last stage is completed, not promoted');
      return { ...next, ...observed, current_stage, current_percentage };
    }
    case 'complete':
      return { ...next, state: 'completed', completed_at: now };
    case 'pause':
      return { ...next, state: 'paused' };
    case 'resume':
      return { ...next, ...observed, state: 'running' };
    case 'rollback':
      return { ...next, state: 'rolled_back', current_percentage: 0, completed_at: now, rollback_reason: move.reason };
  }
}
