/** How a call departs from the declared tasks of its session. */
import type { CallerFacts, CallVerdict } from '#core/actions/judge.ts';
import type { Effects } from '#core/effects/ports.ts';
import { checkManifests } from '#core/session/tasks/check.ts';
import { driftVerdict } from '#core/session/tasks/decide-manifests.ts';
import type { AttachedManifests } from '#core/session/tasks/ports.ts';

/** Returns the verdict on a call in a session with manifests. */
export function verdictOn(
  { envelope, head, signals, acceptedDrift, configuration, nowMs }: CallerFacts,
  attached: AttachedManifests,
  effects: Effects,
): CallVerdict | undefined {
  const asked = {
    call: envelope,
    effects,
    session: envelope.actor.session,
    key_id: envelope.key_id,
    signals: signals(effects),
  };
  const history = {
    actions: head?.counts.allow ?? 0,
    spent_microusd: head?.spent_microusd ?? 0,
    score: head?.risk?.score ?? 0,
    ...(configuration.manifests.enforcement_mode === 'review' && { accepted: acceptedDrift }),
  };
  const drift = checkManifests(attached, asked, history, configuration.behavior, nowMs);
  return drift.length > 0 ? { ...driftVerdict(drift, configuration.manifests), drift } : undefined;
}
