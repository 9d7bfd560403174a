/** Explains how each guard and rule saw a call and its effects, for `why` and simulations [policy.why]. */
import { isLarge, policyText, sentOf } from '#core/actions/call-work.ts';
import type { FindPlace } from '#core/configuration/store/places.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { explain, type RuleTrace } from '#core/policy/rules/explain.ts';
import type { Call } from './operation.ts';

export interface EffectView {
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  readonly decision: Decision;
  readonly matched_rule: string;
  readonly place?: string;
  readonly reason?: string;
  /** Guards and rules up to the deciding one, for an effect that is not allowed. */
  readonly trace?: readonly PlacedTrace[];
}

/** A trace with the rule's place, as `file:line` [policy-version.places]. */
export interface PlacedTrace extends RuleTrace {
  readonly place?: string;
}

/** Maximum of explained effects. */
const maxEffects = 50;

/**
 * Returns the guards and rules up to the one that matches the call as written.
 * @throws GatewayError if a worker explains large calls.
 */
export const traceOf =
  ({ calls }: Pick<Call['ports'], 'calls'>, policy: CompiledPolicy, document: ToolPolicyDocument) =>
  async (asked: ToolCall): Promise<readonly RuleTrace[]> =>
    calls && isLarge(sentOf(asked))
      ? calls.explain({ call: asked, policy: policyText(document) })
      : explain(policy, asked);

/** Returns the effects of the call, and the policy's decision on each. */
export async function effectsOf(
  ports: Pick<Call['ports'], 'effects'>,
  policy: CompiledPolicy,
  call: ToolCall,
  place: FindPlace,
) {
  const { parts, unclear } = await ports.effects(call);
  const effects = parts.slice(0, maxEffects).map((part): EffectView => {
    const placed = { ...(call.upstream !== undefined && { upstream: call.upstream }), ...part };
    const { protocol, tool, target, capability } = part;
    const { decision, matched_rule, reason, rule_index: index } = decide(policy, placed);
    const at = place({ index, rule: matched_rule });
    return {
      protocol,
      tool,
      target,
      capability,
      decision,
      matched_rule,
      ...(at !== undefined && { place: at }),
      ...(reason !== undefined && { reason }),
      ...(decision !== 'allow' && { trace: withPlaces(explain(policy, placed), place) }),
    };
  });
  return {
    effects,
    ...(parts.length > maxEffects && { more_effects: parts.length - maxEffects }),
    ...(unclear !== undefined && { unclear }),
  };
}

export function withPlaces(trace: readonly RuleTrace[], place: FindPlace): PlacedTrace[] {
  return trace.map((step) => {
    const at = place(step);
    return at === undefined ? step : { ...step, place: at };
  });
}
