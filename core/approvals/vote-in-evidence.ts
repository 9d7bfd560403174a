/**
 * Checks that evidence contains the vote that an approval row claims. Merely writing a row or entry to the tables is
 * not enough: the voting function must have signed the entry [approval.evidence-decides].
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { ApprovalTrail } from '#core/evidence/approval-trail.ts';
import { entryHash } from '#core/evidence/chain.ts';
import { UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { CheckpointLog, EvidenceLog, Signer } from '#core/evidence/ports.ts';
import { type Clock, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import type { UnusableReason } from './approval.ts';
import type { ApprovalStore } from './ports.ts';

export interface VoteProofPorts {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly evidence: Pick<EvidenceLog, 'rows' | 'entries'>;
  readonly approvals: Pick<ApprovalStore, 'get'>;
  /** Signs approving votes; functions that use approvals read its public keys. */
  readonly votes: Signer;
  /** Last checkpoint, if available: the chain must extend it. */
  readonly checkpoints: Pick<CheckpointLog, 'last'> | undefined;
}

/**
 * Checks whether evidence supports the row's claim, as far as it matters for the use at hand.
 * @param why the row's reason why it cannot be used; undefined if it claims to be usable.
 * @param callDigest digest of the call at hand, not the row's own, which could be forged with the row.
 * @param shown returns the digest of the call as a reviewer must have seen it.
 */
export async function isVoteInEvidence(
  ports: VoteProofPorts,
  row: ApprovalRow,
  why: UnusableReason | undefined,
  callDigest: string,
  shown?: () => string,
): Promise<boolean> {
  const claim = claimOf(row, why);
  if (!claim) return true;
  const found = await voteInEvidence(ports, row, claim, callDigest, shown);
  if (found === claim.state) return true;
  // Another call may have taken the approval between the two reads. If so, the row shows this.
  const taken = found === 'used' && (await ports.approvals.get(row.tenant, row.envelope_id))?.status !== 'approved';
  if (taken) return true;
  ports.telemetry.count('svc_approvals_unproven_total', {});
  ports.telemetry.log('error', 'an approval row claims a vote that the evidence does not contain', {
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

function claimOf(row: ApprovalRow, why: UnusableReason | undefined): Claim | undefined {
  if (why === undefined) return { verdict: 'approve', state: 'unused' };
  const over = why === 'denied' || why === 'withdrawn' || why === 'expired';
  if (over && row.status === 'denied') return { verdict: 'deny', state: 'unused' };
  // The gateway made the call, and the caller gets the outcome from the row.
  const collected = why === 'already_used' && row.executed_by === 'gateway' && row.status === 'consumed';
  return collected ? { verdict: 'approve', state: 'used' } : undefined;
}

/** Reads the session's chain, starting at the vote's position given in the row. */
async function voteInEvidence(
  ports: VoteProofPorts,
  row: ApprovalRow,
  claim: Claim,
  callDigest: string,
  shown: (() => string) | undefined,
): Promise<State> {
  const { tenant, session_id, envelope_id, evidence_index = 0 } = row;
  const fixed = (await ports.checkpoints?.last(tenant, session_id))?.point;
  const trail = new ApprovalTrail();
  let approve: EvidenceEntry | undefined;
  let last: EvidenceEntry | undefined;
  for await (const entry of ports.evidence.rows(tenant, session_id, evidence_index)) {
    if (entry instanceof UnreadableEntry) return 'none';
    const linked = last === undefined || entry.previous_hash === last.hash;
    if (!linked || entryHash(entry) !== entry.hash) return 'none';
    if (entry.index === fixed?.index && entry.hash !== fixed.hash) return 'none';
    if (entry.kind === 'approve' && entry.body.approval_id === envelope_id) approve = entry;
    trail.add(entry);
    last = entry;
  }
  // The chain was truncated, so a recorded use of the vote may be missing.
  if (fixed && (last?.index ?? -1) < fixed.index) return 'none';
  const vote = trail.voteOf(envelope_id);
  if (vote?.verdict !== claim.verdict || vote.call_digest !== callDigest) return 'none';
  if (claim.verdict === 'approve') {
    const now = claim.state === 'unused' ? isoTime(ports.clock.now()) : undefined;
    // Loaded on demand: most functions start without an approval to prove.
    const { listedVotes, listedVotesDefect, voteDefect } = await import('./vote-signature.ts');
    if (!approve || (await voteDefect(approve, row, ports.votes, now, shown))) return 'none';
    const several = listedVotes(approve).length > 1;
    if (several && (await listedVotesDefect(approve, await votesBefore(ports, approve), ports.votes))) return 'none';
  }
  return vote.used ? 'used' : 'unused';
}

/** Returns the votes recorded for an approval before its last one. A vote whose row cannot be read is left out. */
async function votesBefore(
  { evidence }: Pick<VoteProofPorts, 'evidence'>,
  approve: EvidenceEntry,
): Promise<EvidenceEntry[]> {
  const found: EvidenceEntry[] = [];
  const { tenant, session_id, index, body } = approve;
  for await (const entry of evidence.entries(tenant, session_id, 0, () => {})) {
    if (entry.index >= index) break;
    if (entry.kind === 'vote' && entry.body.approval_id === body.approval_id) found.push(entry);
  }
  return found;
}
