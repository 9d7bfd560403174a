/** Rollout clock: checks every open rollout and moves it if its data requires it [rollout.states]. */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { isOpen, type Rollout } from '#core/contracts/rollout.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import { type Clock, type Ids, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { figuresOf } from './figures.ts';
import type { RolloutsInForce } from './in-force.ts';
import { judge } from './judge.ts';
import { applyMove, type RolloutMove } from './moves.ts';
import type { Rollouts } from './ports.ts';

interface RolloutClockPorts {
  readonly rollouts: Rollouts;
  readonly rolloutsInForce: Pick<RolloutsInForce, 'forget'>;
  readonly observations: Pick<Observations, 'minutes'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/**
 * Checks all open rollouts; a rollout that cannot be judged does not stop the others.
 * @returns the number of moves.
 */
export async function advanceRollouts(ports: RolloutClockPorts): Promise<number> {
  const open = (await ports.rollouts.inForce()).filter(isOpen);
  const done = await Promise.allSettled(open.map((rollout) => advance(ports, rollout)));
  for (const outcome of done)
    if (outcome.status === 'rejected')
      ports.telemetry.log('error', 'a rollout could not be judged', { error: (outcome.reason as Error).message });
  return done.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
}

/** Number of checks per window, so a failing canary is detected within a thirtieth of its window. */
const looksAWindow = 30;
const [soonestSeconds, latestSeconds] = [5, 3600] as const;

/**
 * Checks a rollout once and returns the seconds until the next check, or 0 when the rollout is over. Even with a
 * one-week window, the checks fit into one Step Functions execution, which is limited to 25,000 events.
 */
export async function advanceRollout(ports: RolloutClockPorts, id: string): Promise<{ readonly seconds: number }> {
  const before = await ports.rollouts.get(id);
  if (!before || !isOpen(before)) return { seconds: 0 };
  await advance(ports, before);
  const after = await ports.rollouts.get(id);
  if (!after || !isOpen(after)) return { seconds: 0 };
  const seconds = Math.ceil(after.observation_window_ms / 1000 / looksAWindow);
  return { seconds: Math.min(latestSeconds, Math.max(soonestSeconds, seconds)) };
}

async function advance(ports: RolloutClockPorts, rollout: Rollout): Promise<boolean> {
  const now = ports.clock.now();
  const { baseline, canary, judged } = await figuresOf(ports.observations, rollout, now);
  const move = judge(rollout, judged, now);
  if (!move) return false;
  const next = applyMove(rollout, move, isoTime(now));
  return commitMove(ports, {
    before: rollout,
    next,
    move,
    actor: { key_id: 'rollout-clock' },
    metrics: { baseline, canary },
  });
}

interface CommittedMove {
  readonly before: Rollout;
  readonly next: Rollout;
  readonly move: RolloutMove | { readonly type: 'create' };
  readonly actor: EvidenceEntry['actor'];
  /** Data on which the move is based. */
  readonly metrics?: object;
}

/**
 * Writes the row and the evidence entry in one transaction.
 * @returns false if another process moved the rollout first.
 */
export async function commitMove(
  { ledger, clock, ids, rolloutsInForce }: Pick<RolloutClockPorts, 'ledger' | 'clock' | 'ids' | 'rolloutsInForce'>,
  { before, next, move, actor, metrics }: CommittedMove,
): Promise<boolean> {
  const { id, route_model, canary_provider, state, current_percentage, rollback_reason } = next;
  const outcome = await ledger.commit({
    draft: {
      tenant: next.created_in,
      session_id: `rollout-${id}`,
      timestamp: isoTime(clock.now()),
      kind: 'admin',
      envelope_id: ids.uuid(),
      actor,
      body: {
        action: `rollout.${move.type}`,
        rollout: {
          id,
          route_model,
          canary_provider,
          state,
          current_percentage,
          ...(rollback_reason && { rollback_reason }),
        },
        ...(metrics && { metrics }),
      },
    },
    changes: [{ type: 'rollout.put', rollout: next, ...(move.type !== 'create' && { revision: before.revision }) }],
  });
  if (outcome.ok) rolloutsInForce.forget();
  return outcome.ok;
}
