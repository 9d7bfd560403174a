/** Assigns calls to the canary [rollout.traffic]: a session stays on the same side as the percentage grows. */
import type { Configuration } from '#core/contracts/config.ts';
import type { Rollout, RolloutMark } from '#core/contracts/rollout.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';
import type { Candidate, RoutePlan } from '#core/models/routing/plan.ts';

interface RolloutAssignment {
  readonly plan: RoutePlan;
  readonly mark?: RolloutMark;
}

/** 2^32, the range of the first eight hex digits of a digest. */
const range = 0x1_0000_0000;

/** Returns the position of a session in [0, 100). If it is below the percentage, the session belongs to the canary. */
export const rolloutPosition = (id: string, tenant: string, session: string): number =>
  (Number.parseInt(sha256(JSON.stringify([id, tenant, session])).slice(0, 8), 16) / range) * 100;

/**
 * Returns the plan for a call under the active rollouts. On the canary side, the canary comes first and the baseline is
 * the fallback.
 */
export function assign(
  plan: RoutePlan,
  rollouts: readonly Rollout[],
  caller: { readonly tenant: string; readonly session: string },
  configuration: Configuration,
): RolloutAssignment {
  const rollout = rollouts.find((one) => applies(one, plan, caller.tenant));
  if (!rollout) return { plan };
  const { id, observation, canary_provider: canary } = rollout;
  const mark = (arm: RolloutMark['arm']): RolloutMark => ({ id, observation, arm, canary });
  const chosen = rolloutPosition(id, caller.tenant, caller.session) < rollout.current_percentage;
  const entry = configuration.providers.find(({ name, enabled }) => enabled && name === canary);
  if (!chosen || !entry) return { plan: { ...plan, candidates: withoutCanary(plan, rollout) }, mark: mark('baseline') };
  const first: Candidate = { entry, region: entry.region };
  const others = plan.candidates.filter((candidate) => candidate.entry.name !== canary);
  return { plan: { ...plan, candidates: [first, ...others] }, mark: mark('canary') };
}

/** Removes the canary from the baseline, unless the baseline already listed it. */
function withoutCanary(
  { candidates }: RoutePlan,
  { canary_provider, baseline_providers }: Rollout,
): readonly Candidate[] {
  if (baseline_providers.includes(canary_provider)) return candidates;
  const others = candidates.filter(({ entry }) => entry.name !== canary_provider);
  return others.length === 0 ? candidates : others;
}

/**
 * Checks whether a rollout applies. A completed rollout applies as long as its route is unchanged, because a changed
 * route is a new decision. A rollout that is rolled back or pending does not apply.
 */
function applies(rollout: Rollout, plan: RoutePlan, tenant: string): boolean {
  if (rollout.state === 'pending' || rollout.state === 'rolled_back') return false;
  if (rollout.tenant !== '*' && rollout.tenant !== tenant) return false;
  if (
    rollout.route_model !== plan.model &&
    rollout.route_model !== plan.route &&
    !modelMatches(rollout.route_model, plan.model)
  )
    return false;
  return rollout.state !== 'completed' || sameNames(plan, rollout);
}

const sameNames = ({ candidates }: RoutePlan, { baseline_providers }: Rollout): boolean =>
  candidates
    .map(({ entry }) => entry.name)
    .sort()
    .join('\n') === [...baseline_providers].sort().join('\n');
