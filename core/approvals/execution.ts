/** Transitions of an approval in use: taken for one execution, finished with its outcome, or released unused. */
import type { ApprovalRow, ExecutionOutcome, KeptResult } from '#core/contracts/approval.ts';
import type { Change } from '#core/evidence/ports.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { approvalLeaseSeconds, moveApproval } from './approval.ts';

/** An execution that holds or takes an approval. */
export interface Holder {
  /** Envelope id of the approval. */
  readonly approval: string;
  readonly tenant: string;
  /** Envelope id of the execution. */
  readonly owner: string;
}

const rowOf = ({ approval, tenant }: Holder) => ({ envelope_id: approval, tenant });

/**
 * Takes an approval for one execution if it is unused and not expired.
 * @param bound fields that must be unchanged in the row.
 */
export const takeForExecution = (
  holder: Holder,
  by: NonNullable<ApprovalRow['executed_by']>,
  nowMs: number,
  bound: Partial<ApprovalRow>,
): Change =>
  moveApproval(rowOf(holder), 'use', {
    set: { lease_owner: holder.owner, lease_expires_at: leaseEnd(nowMs), executed_by: by },
    where: bound,
    after: { attribute: 'use_expires_at', time: isoTime(nowMs) },
  });

/** Returns when a lease that is taken or renewed now will end. */
export const leaseEnd = (nowMs: number): string => isoTime(nowMs + approvalLeaseSeconds * 1000);

/** Finishes an execution. Only the lease holder can do this. */
export const finishExecution = (holder: Holder, outcome: ExecutionOutcome, kept: KeptResult = {}): Change =>
  moveApproval(rowOf(holder), 'finish', { set: { outcome, ...kept }, where: { lease_owner: holder.owner } });

/**
 * Releases an approval whose tool was not called. It can be used again until it expires.
 * @param faultAt when a fault prevented the tool call (ISO); absent if a retry does not help.
 */
export const releaseApproval = (holder: Holder, faultAt?: string): Change =>
  moveApproval(rowOf(holder), 'give_back', {
    set: faultAt === undefined ? {} : { given_back_at: faultAt },
    clear: ['lease_owner', 'lease_expires_at', 'executed_by'],
    where: { lease_owner: holder.owner },
  });
