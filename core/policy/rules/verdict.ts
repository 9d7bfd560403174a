/** Verdicts on a call, and the functions that combine them. */
import { decisions } from '#core/contracts/envelope.ts';
import type { SourceNotes } from '#core/contracts/provenance.ts';
import { allowedBefore, type PolicyDecision } from './decide.ts';

/** A decision with the rule that made it, findings for evidence, or both. */
export interface Verdict extends Partial<Omit<PolicyDecision, 'policy'>> {
  /** Findings of the tool guard in the arguments: kinds and places, without values. */
  readonly guard?: readonly { readonly kind: string; readonly where: string; readonly action: string }[];
  readonly provenance?: SourceNotes;
}

/** Adds a verdict to earlier ones. Only a worse decision replaces the earlier one; the findings of both are kept. */
export function addVerdict<V extends Verdict>(earlier: V, next: V): V {
  const {
    decision,
    matched_rule: _rule,
    reason: _reason,
    rule: _,
    rule_index: __,
    terms: ___,
    allowed_by: ____,
    ...findings
  } = next;
  return rankOf(decision) > rankOf(earlier.decision) ? replaceDecision(earlier, next) : { ...earlier, ...findings };
}

/** Replaces the earlier decision, keeping the findings of both. */
export function replaceDecision<V extends Verdict>(earlier: V, next: V): V {
  const { reason: _, rule: __, rule_index: ___, terms: ____, allowed_by: _____, ...rest } = earlier;
  return { ...rest, ...next, ...allowedBefore(next, earlier) };
}

const rankOf = (decision: Verdict['decision']): number => (decision === undefined ? -1 : decisions.indexOf(decision));
