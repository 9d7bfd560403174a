/** The decision of a tool policy: first match wins, and whatever goes wrong blocks. */
import { type Decision, decisions, type ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { hasDigest } from '#core/contracts/withheld.ts';
import { type ApprovalTerms, bothTerms, termsOfRule } from './approval-terms.ts';
import { type ArgumentPath, holdsInCall } from './argument-path.ts';
import type { CompiledArgument, CompiledPolicy, CompiledRule } from './compile.ts';
import { type NormalCall, readingsOf } from './normalise.ts';
import { holds } from './predicate.ts';
import { assumedKey, type ConditionResult, type SourceCondition, sourceHolds } from './source-condition.ts';

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
  /** What the rules ask of an approval where several review the call; else `rule` says it. */
  readonly terms?: ApprovalTerms;
}

/** Undefined where no rule decides: then nothing differs from the configuration. */
export const termsOf = ({ terms, rule }: PolicyDecision): ApprovalTerms | undefined =>
  terms ?? (rule && termsOfRule(rule));

/** A review that stands for another one as well: an approval of it satisfies both [approval.strictest-terms]. */
export function combineReviews(standing: PolicyDecision, other: PolicyDecision): PolicyDecision {
  const more = termsOf(other);
  if (standing.decision !== 'review' || other.decision !== 'review' || !more) return standing;
  const own = termsOf(standing) ?? more;
  return {
    ...standing,
    terms: bothTerms(own, more),
  };
}

/** Never throws: an evaluation that fails decides block. */
export function decide(policy: CompiledPolicy, call: ToolCall): PolicyDecision {
  try {
    return tightened(decideReadings(policy, call), policy.levels ?? [], call);
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
    const { rule, rule_index: _, ...said } = decideReadings(level, call);
    const worse = decisions.indexOf(said.decision) - decisions.indexOf(worst.decision);
    // Among equal decisions, the decision of a rule stands.
    const ofLevel = { ...said, policy: own.policy, ...(rule && { rule: withCredentialOf(own.rule, rule) }) };
    if (worse > 0) worst = ofLevel;
    else if (worse === 0 && said.decision !== 'allow' && rule)
      worst = ruled(worst) ? combineReviews(worst, ofLevel) : combineReviews(ofLevel, worst);
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

/** What the worst reading of the call decides; where it is reviewed, rules of other readings ask of its approval as well. */
function decideReadings(policy: CompiledPolicy, call: ToolCall): PolicyDecision {
  const decided = decideReading(policy, worstReading(policy, call));
  if (decided.decision !== 'review') return decided;
  const readings = readingsOf(call, policy.readsParameters);
  if (readings.length === 1) return decided;
  return readings.reduce((worst, reading) => combineReviews(worst, decideReading(policy, reading)), decided);
}

function decideReading(policy: CompiledPolicy, call: NormalCall): PolicyDecision {
  const { rule: match, unclear } = matchOf(policy, call);
  const decided = match ? decisionOf(policy, match) : byDefault(policy);
  if (!unclear) return decided;
  const { decision } = decided;
  const standing = decision === 'allow' || (decision === 'review' && !match) ? unclearSource(policy, unclear) : decided;
  return unclear.filter(asksOfApproval).reduce((all, rule) => combineReviews(all, decisionOf(policy, rule)), standing);
}

const byDefault = ({ name, defaultDecision }: CompiledPolicy): PolicyDecision => ({
  decision: defaultDecision,
  matched_rule: 'default',
  policy: name,
});

const decisionOf = (policy: CompiledPolicy, { rule, name, index }: CompiledRule): PolicyDecision => ({
  decision: rule.decision,
  matched_rule: name,
  policy: policy.name,
  rule,
  ...(index >= 0 && { rule_index: index }),
  ...(rule.reason !== undefined && { reason: rule.reason }),
});

const asksOfApproval = ({ rule: { decision, approval } }: CompiledRule): boolean =>
  decision === 'review' && approval !== undefined;

/** `matched_rule` of a review because nothing certain can be said of where a value comes from. */
const unclearSourceRule = 'provenance:unclear';

/**
 * What a rule asks for and the record cannot answer is not allowed [provenance.fail-closed]. The time is that of the configuration, and what
 * the rule asks of an approval is asked as well [approval.strictest-terms].
 */
const unclearSource = ({ name }: CompiledPolicy, rules: readonly CompiledRule[]): PolicyDecision => ({
  decision: 'review',
  matched_rule: unclearSourceRule,
  policy: name,
  ...(rules.some(asksOfApproval) && { terms: { require_passkey: false, times: [undefined] } }),
  reason: `The rule ${rules[0]?.name} asks where a value comes from, and what this session has seen is not known for certain.`,
});

/** Whether an argument condition holds for certain; shared with the explanation. */
export const argumentHolds = (argument: CompiledArgument, call: NormalCall): boolean =>
  argumentState(argument, call) === 'yes';

/** Whether an argument condition holds; shared with the explanation. */
export function argumentState({ path, predicate }: CompiledArgument, call: NormalCall): ConditionResult {
  const { origin } = predicate;
  if (call.withheld) return shownState({ path, predicate }, call);
  if (origin === undefined)
    return holdsInCall(path, call, (value) => holds(predicate, value, call.text)) ? 'yes' : 'no';
  const held = (passes: (held: ConditionResult) => boolean): boolean =>
    holdsInCall(
      path,
      call,
      (value) =>
        holds(predicate, value, call.text) && (value === undefined || passes(originHolds(path, origin, value, call))),
    );
  if (held((each) => each === 'yes')) return 'yes';
  return held((each) => each !== 'no') ? 'unclear' : 'no';
}

/** A digest stands for any value, and a text that is searched for may be in one. The source of a value is traced by the value. */
function shownState({ path, predicate }: CompiledArgument, call: NormalCall): ConditionResult {
  const held = (digests: boolean): boolean =>
    holdsInCall(path, call, (value) => (hasDigest(value) ? digests : holds(predicate, value, call.text)));
  if (path.anywhere === undefined && !held(true)) return 'no';
  return predicate.origin === undefined && held(false) ? 'yes' : 'unclear';
}

/** Examples of the analysis assume what holds instead of tracing it. */
const originHolds = (path: ArgumentPath, origin: SourceCondition, value: unknown, call: NormalCall): ConditionResult =>
  call.assumed ? (call.assumed.has(assumedKey(path, origin)) ? 'yes' : 'no') : sourceHolds(origin, value, call.sources);

interface Match {
  /** The guard or rule that decides, if one matches for certain. */
  readonly rule?: CompiledRule;
  /** Those before it, or all where none matches, that would match if a condition held of which that is not known. */
  readonly unclear?: readonly CompiledRule[];
}

function matchOf(policy: CompiledPolicy, call: NormalCall): Match {
  let unclear: CompiledRule[] | undefined;
  // Candidates match in protocol and tool already.
  for (const rule of policy.index.candidates(call.protocol, call.tool)) {
    const held = restMatches(rule, call);
    if (held === 'yes') return { rule, ...(unclear && { unclear }) };
    if (held === 'unclear') unclear = [...(unclear ?? []), rule];
  }
  return unclear ? { unclear } : {};
}

/** The guard or rule that decides, if one matches. */
export const firstMatch = (policy: CompiledPolicy, call: NormalCall): CompiledRule | undefined =>
  matchOf(policy, call).rule;

function restMatches(rule: CompiledRule, call: NormalCall): ConditionResult {
  if (rule.contents && call.names_only) return 'no';
  if (rule.upstream && !rule.upstream.matches(call.upstream)) return 'no';
  let held: ConditionResult = 'yes';
  if (rule.target && !rule.target.matches(call.target)) {
    if (!call.withheld || !hasDigest(call.target)) return 'no';
    held = 'unclear';
  }
  if (rule.capability && !rule.capability.matches(call.capability)) return 'no';
  for (const argument of rule.arguments) {
    const state = argumentState(argument, call);
    if (state === 'no') return 'no';
    if (state === 'unclear') held = state;
  }
  return held;
}

function rankOf(policy: CompiledPolicy, call: NormalCall): number {
  const { rule, unclear } = matchOf(policy, call);
  const rank = decisions.indexOf(rule?.rule.decision ?? policy.defaultDecision);
  return unclear ? Math.max(rank, decisions.indexOf('review')) : rank;
}
