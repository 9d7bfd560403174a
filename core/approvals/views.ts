/** How approvals look on the wire: item while pending (spec §2.3), record once decided (spec §2.4). */
import type { ApprovalRow } from '#core/contracts/approval.ts';

/** The reviewer sees what the digest covers; values withheld as sensitive are named, never silently missing. */
export function approvalItem(row: ApprovalRow, adminUrl: string) {
  const { envelope_id, actor, protocol, tool, target, capability, upstream, parameters, queued_at, expires_at } = row;
  const { justification, matched_rule, call_digest, withheld, session_id, status } = row;
  const { upstream_tool, sent_with } = row;
  const call = {
    protocol,
    tool,
    target,
    capability,
    upstream,
    upstream_tool,
    parameters,
    sent_with,
    withheld,
    call_digest,
  };
  const approval_url = approvalUrl(adminUrl, envelope_id);
  return {
    envelope_id,
    status,
    actor,
    session_id,
    ...call,
    queued_at,
    expires_at,
    justification,
    matched_rule,
    approval_url,
  };
}

export function approvalRecord(row: ApprovalRow) {
  const { envelope_id, status, reviewer, person, channel, reason, decided_at, comment, evidence_hash } = row;
  const decided = status === 'denied' ? { denied_at: decided_at } : { approved_at: decided_at };
  const { outcome, executed_by, result, result_sha256, result_bytes, result_withheld } = row;
  const execution = outcome && { outcome, executed_by, result, result_sha256, result_bytes, result_withheld };
  return { envelope_id, status, reviewer, person, channel, reason, ...decided, comment, evidence_hash, ...execution };
}

/** Item or record, whichever the state calls for; a record keeps the item's fields so that it can be understood. */
export const approvalView = (row: ApprovalRow, adminUrl: string) =>
  row.status === 'pending' ? approvalItem(row, adminUrl) : { ...approvalItem(row, adminUrl), ...approvalRecord(row) };

export const approvalUrl = (adminUrl: string, envelopeId: string) => `${adminUrl}/admin/v1/approvals/${envelopeId}`;
