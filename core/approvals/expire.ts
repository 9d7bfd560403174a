/**
 * Expires pending requests. An expired request counts as denied, and its record gives the timeout, not a human, as the
 * reason.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { announceDecision } from './announce.ts';
import { moveApproval } from './approval.ts';
import type { VotePorts } from './ports.ts';

const bySystem = { reviewer: 'system', person: 'system', comment: '', channel: 'system', reason: 'timeout' } as const;

/**
 * Expires a pending request. Returns its current row, which differs if a vote came first.
 * @param channels notification channels to notify.
 */
export async function expire(ports: VotePorts, row: ApprovalRow, channels: readonly string[]): Promise<ApprovalRow> {
  const { tenant, session_id, envelope_id, call_digest, tool } = row;
  const decided_at = isoTime(ports.clock.now());
  const { person } = bySystem;
  const outcome = await ports.ledger.commit({
    draft: {
      tenant,
      session_id,
      envelope_id,
      timestamp: decided_at,
      kind: 'deny',
      actor: { key_id: person, person },
      body: { approval_id: envelope_id, status: 'denied', ...bySystem, call_digest, tool },
    },
    changes: [moveApproval(row, 'timeout', { set: { ...bySystem, decided_at }, stampEntry: true })],
  });
  if (!outcome.ok) {
    const current = await ports.approvals.find(envelope_id);
    if (!current) throw notFound(things.approval);
    return current;
  }
  const { hash: evidence_hash, index: evidence_index } = outcome.entry;
  const expired: ApprovalRow = { ...row, ...bySystem, decided_at, status: 'denied', evidence_hash, evidence_index };
  await announceDecision(ports, expired, channels);
  return expired;
}
