/**
 * Every source that has a say about an action, and the worst of them: the policy on the call and its effects, the sandbox,
 * the session's tasks, and what the session and its key have done before.
 */

import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Drift } from '#core/contracts/drift.ts';
import type { ActionEnvelope, ToolCall } from '#core/contracts/envelope.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { type ArgumentGuard, decideArguments } from '#core/guard/decide-arguments.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import { type Assessment, assessAction, type Blocked, type Standing } from '#core/session/risk/assess.ts';
import { signalContextOf } from '#core/session/risk/signal-context.ts';
import { signalsOf } from '#core/session/risk/signals.ts';
import { decideDrift } from '#core/session/tasks/decide-manifests.ts';
import { withFirst } from '#core/session/tasks/first-sheet.ts';
import type { Attached } from '#core/session/tasks/ports.ts';
import { refuseSecrets } from './program-texts.ts';

/** The decision that does not depend on the caller: no secret in executable text, then policy, sandbox and the guard on arguments. */
export async function evaluate(
  {
    policy,
    configuration,
    guard,
  }: {
    readonly policy: CompiledPolicy;
    readonly configuration: Pick<Configuration, 'sandbox'>;
    /** Absent where the call goes to no MCP server, or its guard is off. */
    readonly guard?: ArgumentGuard | undefined;
  },
  call: ToolCall,
  effects: Effects,
): Promise<PolicyDecision> {
  const refused = refuseSecrets(call, policy.name);
  if (refused) return refused;
  const decision = decideEffects(policy, call, effects);
  if (decision.decision === 'block') return decision;
  const parts = effects.parts.length > 0 ? effects.parts : [call];
  // No limit is about a call of an MCP tool by itself.
  const limited = parts.some(({ protocol }) => protocol !== 'mcp');
  const outside = limited && (await effectLimits()).checkEffectLimits(configuration.sandbox, parts);
  return decideArguments(outside ? { ...outside, policy: decision.policy } : decision, call, guard);
}

const effectLimits = lazyImport(() => import('#core/effects/limits/check.ts'));

export interface Judged {
  readonly decision: PolicyDecision;
  /** What policy, sandbox and tasks say, whatever the kill switch does. */
  readonly apartFromRisk: PolicyDecision;
  readonly drift: readonly Drift[];
  /** What the entry carries for the score; `approved` for a call that a human let through. */
  readonly assess: (approved: boolean) => Assessment | undefined;
  /** Exactly this call reaches the kill switch. */
  readonly tripped?: Blocked;
}

export interface JudgeInput {
  readonly snapshot: Snapshot;
  readonly envelope: ActionEnvelope;
  readonly effects: Effects;
  /** As `evaluate` found it. */
  readonly evaluated: PolicyDecision;
  readonly callDigest: string;
  readonly head: SessionHead | undefined;
  readonly attached: Attached | undefined;
  /** The task sheet that the call's prompt begins the session with. */
  readonly firstRequest?: FirstSheet | undefined;
  readonly standing: Standing;
  /** Whether the acting key is scored: agents' keys are. */
  readonly scored: boolean;
  /** How often the key has probed many times since it was last reported. */
  readonly probed?: number;
  readonly nowMs: number;
}

export async function judge(given: JudgeInput): Promise<Judged> {
  const drift = await driftOf(given);
  const { evaluated, snapshot, envelope, effects, standing, nowMs } = given;
  const { behavior, manifests } = snapshot.configuration;
  const decision = decideDrift(evaluated, drift, manifests);
  const assessed = (approved: boolean): Assessment | undefined =>
    given.scored
      ? assessAction({
          settings: behavior,
          context: signalContextOf(snapshot.configuration),
          standing,
          call: { ...envelope, call_digest: given.callDigest },
          effects,
          decision: decision.decision,
          approved,
          probed: given.probed ?? 0,
          nowMs,
        })
      : undefined;
  const unapproved = assessed(false);
  const assess = (approved: boolean) => (approved ? assessed(true) : unapproved);
  const tripped = unapproved?.blocked;
  if (!tripped) return { decision, apartFromRisk: decision, drift, assess };
  const blocked: PolicyDecision = {
    decision: 'block',
    matched_rule: tripped.matched_rule,
    policy: decision.policy,
    reason: tripped.reason,
  };
  return { decision: blocked, apartFromRisk: decision, drift, assess, tripped };
}

/** Ways in which the call leaves the tasks it was declared for; none without a manifest. Loaded with the first that has one. */
async function driftOf({
  firstRequest,
  envelope,
  effects,
  head,
  snapshot,
  nowMs,
  ...given
}: JudgeInput): Promise<Drift[]> {
  const attached = given.attached && withFirst(given.attached, envelope.tenant, firstRequest ?? head?.first_request);
  if (!attached || (attached.manifests.length === 0 && attached.unknown === undefined)) return [];
  const { configuration } = snapshot;
  const asked = {
    call: envelope,
    effects,
    session: envelope.actor.session,
    key_id: envelope.key_id,
    signals: signalsOf(envelope, effects, 'allow', signalContextOf(configuration)),
  };
  const history = {
    actions: head?.counts.allow ?? 0,
    spent_microusd: head?.spent_microusd ?? 0,
    score: head?.risk?.score ?? 0,
    ...(configuration.manifests.enforcement_mode === 'review' && { accepted: head?.accepted_drift }),
  };
  const { checkManifests } = await import('#core/session/tasks/check.ts');
  return checkManifests(attached, asked, history, configuration.behavior, nowMs);
}
