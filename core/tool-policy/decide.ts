/** The decision of a tool policy: first match wins, and whatever goes wrong blocks. */
import { type Decision, decisions, type ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { holdsInCall } from './argument-path.ts';
import type { CompiledArgument, CompiledPolicy, CompiledRule } from './compile.ts';
import { type NormalCall, readingsOf } from './normalise.ts';
import { holds } from './predicate.ts';

export interface PolicyDecision {
  readonly decision: Decision;
  /** `<protocol>:<tool-pattern>` of the rule, `guard:<name>`, `default` when none matched. */
  readonly matched_rule: string;
  /** Name of the policy in force. */
  readonly policy: string;
  readonly rule?: ToolRule;
  /** Its place among the rules; a guard has none. */
  readonly rule_index?: number;
  readonly reason?: string;
  /** What the tool guard found in the arguments: kinds and places, no values. */
  readonly guard?: readonly { readonly kind: string; readonly where: string; readonly action: string }[];
}

/** Never throws: an evaluation that fails decides block. */
export function decide(policy: CompiledPolicy, call: ToolCall): PolicyDecision {
  try {
    return tightened(decideReading(policy, worstReading(policy, call)), policy.levels ?? [], call);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      decision: 'block',
      matched_rule: 'default',
      policy: policy.name,
      reason: `The call could not be evaluated and is blocked: ${why}.`,
    };
  }
}

/** The worst of the policy and of the levels of the tenant's place [identity.level-policies]. */
function tightened(own: PolicyDecision, levels: readonly CompiledPolicy[], call: ToolCall): PolicyDecision {
  let worst = own;
  for (const level of levels) {
    const { rule, rule_index: _, ...said } = decideReading(level, worstReading(level, call));
    const worse = decisions.indexOf(said.decision) - decisions.indexOf(worst.decision);
    // Of two that say the same the one that a rule said.
    if (worse > 0 || (worse === 0 && said.decision !== 'allow' && rule && !ruled(worst)))
      worst = { ...said, policy: own.policy, ...(rule && { rule: withCredentialOf(own.rule, rule) }) };
  }
  return worst;
}

const ruled = ({ matched_rule }: PolicyDecision): boolean => matched_rule !== 'default';

/** A level issues no credential and takes none away: a call that a person lets through gets the one of its own rule. */
function withCredentialOf(own: ToolRule | undefined, rule: ToolRule): ToolRule {
  if (!own?.credential) return rule;
  const { upstream: _, ...conditions } = rule;
  const { credential, upstream } = own;
  return { ...conditions, credential, ...(upstream !== undefined && { upstream }) };
}

/** The reading of the call whose decision counts: the first with the worst. */
export function worstReading(policy: CompiledPolicy, call: ToolCall): NormalCall {
  const [first, ...others] = readingsOf(call, policy.readsParameters);
  let worst = first!;
  if (others.length === 0) return worst;
  let rank = rankOf(policy, worst);
  for (const reading of others) {
    if (rank === decisions.length - 1) break;
    const next = rankOf(policy, reading);
    if (next > rank) [worst, rank] = [reading, next];
  }
  return worst;
}

export function decideReading(policy: CompiledPolicy, call: NormalCall): PolicyDecision {
  const match = firstMatch(policy, call);
  if (!match) {
    return { decision: policy.defaultDecision, matched_rule: 'default', policy: policy.name };
  }
  return {
    decision: match.rule.decision,
    matched_rule: match.name,
    policy: policy.name,
    rule: match.rule,
    ...(match.index >= 0 && { rule_index: match.index }),
    ...(match.rule.reason !== undefined && { reason: match.rule.reason }),
  };
}

/** Whether an argument condition holds; shared with the explanation. */
export const argumentHolds = ({ path, predicate }: CompiledArgument, call: NormalCall): boolean =>
  holdsInCall(path, call, (value) => holds(predicate, value, call.text));

/** The guard or rule that decides, if one matches. */
export function firstMatch(policy: CompiledPolicy, call: NormalCall): CompiledRule | undefined {
  // Candidates match in protocol and tool already.
  for (const rule of policy.index.candidates(call.protocol, call.tool)) if (restMatches(rule, call)) return rule;
  return undefined;
}

function restMatches(rule: CompiledRule, call: NormalCall): boolean {
  if (rule.upstream && !rule.upstream.matches(call.upstream)) return false;
  if (rule.target && !rule.target.matches(call.target)) return false;
  if (rule.capability && !rule.capability.matches(call.capability)) return false;
  for (const argument of rule.arguments) if (!argumentHolds(argument, call)) return false;
  return true;
}

const rankOf = (policy: CompiledPolicy, call: NormalCall): number =>
  decisions.indexOf(firstMatch(policy, call)?.rule.decision ?? policy.defaultDecision);
