/** Builds the decision results returned to callers. */

import { denialExpiresAt, isAnswerCurrent } from '#core/approvals/approval.ts';
import { approvalUrl } from '#core/approvals/approval-url.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult, ToolCall } from '#core/contracts/envelope.ts';
import { rpcCodes } from '#core/kernel/errors.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { suggestAlternative } from '#core/policy/rules/alternative.ts';
import type { CompiledPolicy } from '#core/policy/rules/compile.ts';
import { type PolicyDecision, termsOf } from '#core/policy/rules/decide.ts';
import { shorten, visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import type { GovernedAction } from './governed.ts';
import { neededWords, requiresOf } from './needed-approvals.ts';
import { byReference, secretRule } from './program-texts.ts';

/** Returns the members common to all decision results. */
export const answer = (
  action: GovernedAction,
): Pick<DecisionResult, 'envelope_id' | 'matched_rule' | 'policy' | 'policy_version' | 'session_id' | 'upstream'> => ({
  envelope_id: action.envelope.envelope_id,
  matched_rule: action.decision.matched_rule,
  policy: action.decision.policy,
  policy_version: action.snapshot.version,
  session_id: action.envelope.actor.session,
  ...(action.envelope.upstream !== undefined && { upstream: action.envelope.upstream }),
});

export function blockedResult(action: GovernedAction, evidenceHash?: string): DecisionResult {
  const { tool, target } = action.envelope;
  const { decision, snapshot } = action;
  const reason = decision.reason ?? `Rule ${decision.matched_rule} of policy ${decision.policy} blocks this call.`;
  const suggested_alternative = alternativeTo(decision, snapshot.policy, action.envelope);
  return {
    ...answer(action),
    decision: 'block',
    ...(evidenceHash !== undefined && { evidence_hash: evidenceHash }),
    error: {
      code: rpcCodes.block,
      message: `${tool} on ${target || 'no target'} is blocked by policy ${decision.policy}.`,
      data: { reason, suggested_alternative, ...(decision.provenance && { sources: decision.provenance.lines }) },
    },
  };
}

const alternatives = remembered((policy: CompiledPolicy) =>
  remembered((call: ToolCall) => suggestAlternative(policy, call)),
);

/** Caches the alternative that a worker found for a large call [limit.hostile]. */
export const rememberAlternative = (policy: CompiledPolicy, call: ToolCall, alternative: string): void =>
  alternatives(policy).know(call, alternative);

/**
 * Returns the suggested alternative to a blocked call: from the deciding rule, or otherwise based on the source of the
 * decision.
 */
export function alternativeTo(
  { matched_rule, rule }: Pick<PolicyDecision, 'matched_rule' | 'rule'>,
  policy: CompiledPolicy,
  call: ToolCall,
): string {
  if (matched_rule === secretRule) return byReference;
  if (matched_rule.startsWith('behavior:'))
    return 'Do not repeat the call, since each attempt counts. Ask a person to look at the session and to release it.';
  return rule?.suggested_alternative ?? alternatives(policy)(call);
}

/**
 * Returns the result for a call in review. `row` is the approval request; `reason` states why an existing approval
 * could not be used.
 */
export function inReview(action: GovernedAction, row: ApprovalRow, adminUrl: string, reason?: string): DecisionResult {
  return {
    ...answer(action),
    envelope_id: row.envelope_id,
    decision: 'review',
    ...(row.evidence_hash !== undefined && { evidence_hash: row.evidence_hash }),
    error: approvalRequired(row, adminUrl, reason),
  };
}

/** Returns the result for a repeated call that a human has denied, with the reviewer's comment. */
export function deniedResult(action: GovernedAction, row: ApprovalRow): DecisionResult {
  return {
    ...answer(action),
    envelope_id: row.envelope_id,
    decision: 'block',
    matched_rule: `denied:${row.envelope_id}`,
    ...(row.evidence_hash !== undefined && { evidence_hash: row.evidence_hash }),
    error: denialOf(row),
  };
}

/** Maximum length of a reviewer's comment in responses to agents; the record keeps the full comment. */
const commentCharacters = 2_000;

/**
 * Returns a human's denial as an error. Because models may read it, its strings are bounded and free of control
 * characters.
 */
export function denialOf(row: ApprovalRow) {
  const reviewer = shorten(visibleText(row.reviewer ?? row.person ?? 'the reviewer'), 256);
  const comment = shorten(visibleLines(row.comment ?? ''), commentCharacters);
  const ask_again_after = denialExpiresAt(row);
  return {
    code: rpcCodes.block,
    message: `${row.tool} was denied by ${reviewer}${comment === '' ? '.' : `: ${comment}`}`,
    data: {
      reason: 'denied',
      reviewer,
      comment,
      suggested_alternative:
        ask_again_after === undefined
          ? 'Change the call as the reviewer says. The denial holds for the rest of this session.'
          : `Change the call as the reviewer says, or ask again after ${ask_again_after}.`,
      ...(row.decided_at !== undefined && { denied_at: row.decided_at }),
      ...(ask_again_after !== undefined && { ask_again_after }),
    },
  };
}

/** Returns the error for a pending request. */
export function approvalRequired(row: ApprovalRow, adminUrl: string, reason?: string) {
  return {
    code: rpcCodes.approvalRequired,
    message: `${row.tool} needs a human's approval${reason === undefined ? '' : ` (${reason === 'expired' ? 'expired: the earlier request timed out' : reason})`}.`,
    data: {
      approval_url: approvalUrl(adminUrl, row.envelope_id),
      queued_at: row.queued_at,
      expires_at: row.expires_at,
      ...(reason !== undefined && { reason }),
      ...(row.sources && { sources: [...row.sources] }),
    },
  };
}

/**
 * Returns the live policy's decision without recording or using up anything.
 * @param found the approval of the identical call: a denial that is still current is returned instead.
 */
export function dryRun(action: GovernedAction, found: ApprovalRow | undefined, now: string): DecisionResult {
  const { decision } = action.decision;
  if (decision === 'review' && found?.status === 'denied' && isDenialOf(action, found, now))
    return { ...deniedResult(action, found), dry_run: true };
  if (decision === 'block') return { ...blockedResult(action), dry_run: true };
  const needs = neededWords(requiresOf(action), termsOf(action.decision)?.require_passkey);
  const review = decision === 'review' && {
    error: {
      code: rpcCodes.approvalRequired,
      message: `${action.envelope.tool} would need ${needs ?? "a human's approval"}.`,
      data: { ...(needs !== undefined && { needs }) },
    },
  };
  return { ...answer(action), decision, dry_run: true, ...review };
}

const isDenialOf = ({ envelope, call_digest }: GovernedAction, row: ApprovalRow, now: string): boolean =>
  row.key_id === envelope.key_id && row.call_digest === call_digest && isAnswerCurrent(row, now);
