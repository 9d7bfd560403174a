/** Evaluates a call against a tool policy: the first match wins, and every error blocks. */
import { type Decision, decisions, type ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { hasDigest } from '#core/contracts/withheld.ts';
import { type ApprovalTerms, bothTerms, termsOfRule } from './approval-terms.ts';
import { type ArgumentPath, holdsInCall } from './argument-path.ts';
import type { CompiledArgument, CompiledPolicy, CompiledRule } from './compile.ts';
import { type NormalCall, readingsOf } from './normalise.ts';
import { meetsPredicate } from './predicate.ts';
import { assumedKey, type ConditionResult, type SourceCondition, sourceHolds } from './source-condition.ts';

export interface PolicyDecision {
  readonly decision: Decision;
  /** `<protocol>:<tool-pattern>` of the rule, `guard:<name>`, or `default` if no rule or guard matched. */
  readonly matched_rule: string;
  /** Name of the active policy. */
  readonly policy: string;
  readonly rule?: ToolRule;
  /**
   * Rule that allowed the call before the decision became a review because of a source that no rule covers
   * [credential.minted].
   */
  readonly allowed_by?: ToolRule;
  /** Position of the matched rule in the list of rules. Absent for a guard. */
  readonly rule_index?: number;
  readonly reason?: string;
  /** Combined approval terms if several rules require review of the call. Otherwise the terms of `rule` apply. */
  readonly terms?: ApprovalTerms;
}

/** Returns the approval terms of a decision. Undefined if no rule made it, in which case the configured terms apply. */
export const termsOf = ({ terms, rule }: PolicyDecision): ApprovalTerms | undefined =>
  terms ?? (rule && termsOfRule(rule));

/**
 * Returns the rule whose credential the call gets: the rule that made the decision, or the one that allowed the call
 * before it became a review.
 */
export const credentialRule = ({
  rule,
  allowed_by,
}: Pick<PolicyDecision, 'rule' | 'allowed_by'>): ToolRule | undefined => rule ?? allowed_by;

/**
 * Returns the `allowed_by` of a review that replaces an earlier decision. A rule that requires review has its own
 * credential or none.
 */
export const allowedBefore = (
  next: Partial<PolicyDecision>,
  earlier: Partial<PolicyDecision> | undefined,
): Pick<PolicyDecision, 'allowed_by'> => {
  const allowed_by = earlier?.decision === 'allow' ? earlier.rule : earlier?.allowed_by;
  return next.decision === 'review' && !next.rule && allowed_by ? { allowed_by } : {};
};

/**
 * Combines two reviews so that an approval of the result satisfies both [approval.strictest-terms]. A review without
 * terms does not allow a joint decision on identical calls.
 */
export function combineReviews(standing: PolicyDecision, other: PolicyDecision): PolicyDecision {
  if (standing.decision !== 'review' || other.decision !== 'review') return standing;
  const [own, more] = [termsOf(standing), termsOf(other)];
  if (own && more) return { ...standing, terms: bothTerms(own, more) };
  if (!more && !own?.together) return standing;
  const { together: _, ...terms } = (own ?? more)!;
  return { ...standing, terms };
}

/** Evaluates a call. Never throws: if the evaluation fails, the call is blocked. */
export function decide(policy: CompiledPolicy, call: ToolCall): PolicyDecision {
  try {
    return tightenByLevels(decideReadings(policy, call), policy.levels ?? [], call);
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

/** Returns the worse of the policy's decision and those of the tenant's levels [identity.organizations]. */
function tightenByLevels(own: PolicyDecision, levels: readonly CompiledPolicy[], call: ToolCall): PolicyDecision {
  let worst = own;
  for (const level of levels) {
    const { rule, rule_index: _, ...said } = decideReadings(level, call);
    const worse = decisions.indexOf(said.decision) - decisions.indexOf(worst.decision);
    // Among equal decisions, a rule takes precedence over the default.
    const ofLevel = {
      ...said,
      policy: own.policy,
      ...(rule ? { rule: withCredentialOf(credentialRule(own), rule) } : allowedBefore(said, own)),
    };
    if (worse > 0) worst = ofLevel;
    else if (worse === 0 && said.decision !== 'allow' && rule)
      worst = isByRule(worst) ? combineReviews(worst, ofLevel) : combineReviews(ofLevel, worst);
  }
  return worst;
}

const isByRule = ({ matched_rule }: PolicyDecision): boolean => matched_rule !== 'default';

/** Keeps the credential of the tenant's own rule. A level neither issues nor removes a credential. */
function withCredentialOf(own: ToolRule | undefined, rule: ToolRule): ToolRule {
  if (!own?.credential) return rule;
  const { upstream: _, ...conditions } = rule;
  const { credential, upstream } = own;
  return { ...conditions, credential, ...(upstream !== undefined && { upstream }) };
}

/** Returns the reading of the call that determines the decision: the first one with the worst decision. */
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

/**
 * Evaluates the worst reading of the call. If the decision is a review, the approval terms of other readings apply as
 * well.
 */
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
  const review = unclearSource(policy, unclear);
  const replaced = decision === 'allow' || (decision === 'review' && !match);
  const standing = replaced ? { ...review, ...allowedBefore(review, decided) } : decided;
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

/** `matched_rule` of a review that was required because the source of a value is uncertain. */
const unclearSourceRule = 'provenance:unclear';

/**
 * Returns a review, because a source condition must not allow the call if the record cannot settle the condition
 * [provenance.rules]. Uses the configured timeout; the rules' own approval terms are added later
 * [approval.strictest-terms].
 */
const unclearSource = ({ name }: CompiledPolicy, rules: readonly CompiledRule[]): PolicyDecision => ({
  decision: 'review',
  matched_rule: unclearSourceRule,
  policy: name,
  ...(rules.some(asksOfApproval) && { terms: { require_passkey: false, times: [undefined] } }),
  reason: `The rule ${rules[0]?.name} depends on where a value comes from, and the gateway does not know for certain what this session has seen.`,
});

/** Checks whether an argument condition is certainly true. Shared with `explain`. */
export const argumentHolds = (argument: CompiledArgument, call: NormalCall): boolean =>
  argumentState(argument, call) === 'yes';

/** Checks an argument condition. Shared with `explain`. */
export function argumentState({ path, predicate }: CompiledArgument, call: NormalCall): ConditionResult {
  const { origin } = predicate;
  if (call.withheld) return shownState({ path, predicate }, call);
  if (origin === undefined)
    return holdsInCall(path, call, (value) => meetsPredicate(predicate, value, call.text)) ? 'yes' : 'no';
  const held = (passes: (held: ConditionResult) => boolean): boolean =>
    holdsInCall(
      path,
      call,
      (value) =>
        meetsPredicate(predicate, value, call.text) &&
        (value === undefined || passes(originHolds(path, origin, value, call))),
    );
  if (held((each) => each === 'yes')) return 'yes';
  return held((each) => each !== 'no') ? 'unclear' : 'no';
}

/**
 * Checks a condition on a call with withheld values. A digest may represent any value and contain any text, and its
 * source cannot be traced.
 */
function shownState({ path, predicate }: CompiledArgument, call: NormalCall): ConditionResult {
  const held = (digests: boolean): boolean =>
    holdsInCall(path, call, (value) => (hasDigest(value) ? digests : meetsPredicate(predicate, value, call.text)));
  if (path.anywhere === undefined && !held(true)) return 'no';
  return predicate.origin === undefined && held(false) ? 'yes' : 'unclear';
}

/**
 * Returns whether a source condition is met. For its examples, the analysis assumes the result instead of tracing it.
 */
const originHolds = (path: ArgumentPath, origin: SourceCondition, value: unknown, call: NormalCall): ConditionResult =>
  call.assumed ? (call.assumed.has(assumedKey(path, origin)) ? 'yes' : 'no') : sourceHolds(origin, value, call.sources);

interface Match {
  /** The guard or rule that makes the decision, if one certainly matches. */
  readonly rule?: CompiledRule;
  /** Earlier rules (or all rules, if none matches) that would match if an uncertain condition were met. */
  readonly unclear?: readonly CompiledRule[];
}

function matchOf(policy: CompiledPolicy, call: NormalCall): Match {
  let unclear: CompiledRule[] | undefined;
  // Candidates already match the protocol and the tool.
  for (const rule of policy.index.candidates(call.protocol, call.tool)) {
    const held = restMatches(rule, call);
    if (held === 'yes') return { rule, ...(unclear && { unclear }) };
    if (held === 'unclear') unclear = [...(unclear ?? []), rule];
  }
  return unclear ? { unclear } : {};
}

/** Returns the guard or rule that makes the decision, if one matches. */
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
