/** Wire format of approvals: an item while pending, a record once decided. */

import { missingOf, missingText } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalUrl } from './approval-url.ts';
import { togetherDigest } from './call-digest.ts';
import { tighteningText } from './terms.ts';

/**
 * Returns the item that reviewers see: everything that the digest covers, with the paths of withheld values. `key` and
 * `rule` are verified by the gateway; `unverified` contains the caller's own claims.
 * @param nowMs current time, for the seconds left to decide.
 * @param place location of the rule, as `file:line`.
 */
export function approvalItem(row: ApprovalRow, adminUrl: string, nowMs: number, place?: string) {
  const { envelope_id, actor, protocol, tool, target, capability, upstream, parameters, queued_at, expires_at } = row;
  const { justification, matched_rule, call_digest, withheld, session_id, status } = row;
  const { upstream_tool, definition, sent_with } = row;
  const call = {
    protocol,
    tool,
    target,
    capability,
    upstream,
    upstream_tool,
    definition,
    parameters,
    sent_with,
    withheld,
    call_digest,
  };
  const approval_url = approvalUrl(adminUrl, envelope_id);
  const { tenant, key_id, key_name, key_kind, key_owner, executed, risk, credential } = row;
  const { summary, effects, effect_risks, after_vote, held_until } = row;
  const { policy, policy_version, rule_reason, sources } = row;
  const several = row.requires && {
    requires: row.requires,
    votes: votesOf(row),
    ...(status === 'pending' && { still_needed: missingVotesText(row) }),
  };
  const seconds = Math.max(0, Math.ceil((Date.parse(expires_at) - nowMs) / 1000));
  return {
    envelope_id,
    status,
    key: { id: key_id, name: key_name, kind: key_kind, owner: key_owner },
    tenant,
    actor,
    session_id,
    unverified: ['actor.agent', 'justification'],
    ...call,
    summary,
    effects,
    effect_risks,
    sources,
    executed,
    queued_at,
    expires_at,
    ...(status === 'pending' && { expires_in_seconds: seconds }),
    justification,
    matched_rule,
    rule: { name: matched_rule, reason: rule_reason, policy, policy_version, place },
    risk,
    credential,
    ...(status === 'pending' && { after_vote, held_until }),
    ...(status === 'pending' && row.caller_gone_at && { caller_gone_at: row.caller_gone_at }),
    ...(row.require_passkey && { passkey_required: true }),
    together: togetherDigest(row),
    ...(row.tightened && { terms_changed: tighteningText(row) }),
    ...(status === 'pending' && row.obstacle !== undefined && { cannot_run: row.obstacle }),
    ...several,
    approval_url,
  };
}

const votesOf = ({ votes = [] }: ApprovalRow) =>
  votes.map(({ person, teams, role, comment, channel, at }) => ({ person, teams, role, comment, channel, at }));

/** Describes the votes that are still needed. */
export const missingVotesText = ({ requires = [], votes = [] }: Pick<ApprovalRow, 'requires' | 'votes'>): string =>
  missingText(missingOf(requires, votes));

export function approvalRecord(row: ApprovalRow) {
  const { envelope_id, status, reviewer, person, channel, reason, decided_at, comment, evidence_hash } = row;
  const decided = status === 'denied' ? { denied_at: decided_at } : { approved_at: decided_at };
  const { outcome, executed_by, refused_because, result, result_sha256, result_bytes, result_withheld } = row;
  const counted = row.votes && { votes: votesOf(row) };
  const needed = status === 'pending' && row.requires && { still_needed: missingVotesText(row) };
  const execution = outcome && {
    outcome,
    executed_by,
    refused_because,
    result,
    result_sha256,
    result_bytes,
    result_withheld,
  };
  return {
    envelope_id,
    status,
    reviewer,
    person,
    channel,
    reason,
    ...(status !== 'pending' && decided),
    comment,
    evidence_hash,
    ...counted,
    ...needed,
    ...execution,
  };
}

/** Returns an item or a record, depending on the state. A record includes the item's fields. */
export const approvalView = (row: ApprovalRow, adminUrl: string, nowMs: number, place?: string) => ({
  ...approvalItem(row, adminUrl, nowMs, place),
  ...(row.status !== 'pending' && approvalRecord(row)),
});
