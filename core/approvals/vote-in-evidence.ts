/**
 * Whether the evidence holds the vote that an approval's row claims. Rows are a convenience: whoever can only write rows
 * decides nothing [approval.evidence-decides].
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { ApprovalTrail } from '#core/evidence/approval-trail.ts';
import { entryHash } from '#core/evidence/chain.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import type { Unusable } from './approval.ts';
import type { ApprovalStore } from './ports.ts';

type VotePorts = {
  readonly evidence: Pick<EvidenceLog, 'entries'>;
  readonly approvals: Pick<ApprovalStore, 'get'>;
  readonly telemetry: Telemetry;
};

/**
 * Whether the evidence agrees with what the row says of a vote, as far as that is about to count.
 * @param why the row itself says that it is of no use; undefined: it says that it may be used.
 * @param callDigest of the call at hand: the row's own would be as good as the row.
 */
export async function standsInEvidence(
  ports: VotePorts,
  row: ApprovalRow,
  why: Unusable | undefined,
  callDigest: string,
): Promise<boolean> {
  const claim = claimOf(row, why);
  if (!claim) return true;
  const found = await voteInEvidence(ports.evidence, row, claim.verdict, callDigest);
  if (found === claim.state) return true;
  // Between the two readings another call may have taken the approval: then its row says so by now.
  const taken = found === 'used' && (await ports.approvals.get(row.tenant, row.envelope_id))?.status !== 'approved';
  if (taken) return true;
  ports.telemetry.count('svc_approvals_unproven_total', {});
  ports.telemetry.log('error', 'an approval row claims a vote that the evidence does not hold', {
    approval_id: row.envelope_id,
    session_id: row.session_id,
    claims: claim.verdict,
  });
  return false;
}

type State = 'none' | 'unused' | 'used';
interface Claim {
  readonly verdict: 'approve' | 'deny';
  readonly state: State;
}

function claimOf(row: ApprovalRow, why: Unusable | undefined): Claim | undefined {
  if (why === undefined) return { verdict: 'approve', state: 'unused' };
  const over = why === 'denied' || why === 'withdrawn' || why === 'expired';
  if (over && row.status === 'denied') return { verdict: 'deny', state: 'unused' };
  // The gateway made the call: its caller is given what the row says came out.
  const collected = why === 'already_used' && row.executed_by === 'gateway' && row.status === 'consumed';
  return collected ? { verdict: 'approve', state: 'used' } : undefined;
}

/** Reads the session's chain from where the row says its vote stands. */
async function voteInEvidence(
  evidence: Pick<EvidenceLog, 'entries'>,
  row: ApprovalRow,
  verdict: Claim['verdict'],
  callDigest: string,
): Promise<State> {
  const trail = new ApprovalTrail();
  let previous: string | undefined;
  for await (const entry of evidence.entries(row.tenant, row.session_id, row.evidence_index ?? 0)) {
    const linked = previous === undefined || entry.previous_hash === previous;
    if (!linked || entryHash(entry) !== entry.hash) return 'none';
    previous = entry.hash;
    trail.add(entry);
  }
  const vote = trail.voteOf(row.envelope_id);
  if (vote?.verdict !== verdict || vote.call_digest !== callDigest) return 'none';
  return vote.used ? 'used' : 'unused';
}
