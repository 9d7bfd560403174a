/** The moves of an approval that is used: taken for one execution, ended with its outcome, or given back unused. */
import type { ApprovalRow, ExecutionOutcome, KeptResult } from '#core/contracts/approval.ts';
import type { Change } from '#core/evidence/ports.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { approvalLeaseSeconds, moveApproval } from './approval.ts';

/** One execution that holds an approval, or wants to. */
export interface Holder {
  /** Envelope id of the approval. */
  readonly approval: string;
  readonly tenant: string;
  /** Envelope id of the execution. */
  readonly owner: string;
}

const rowOf = ({ approval, tenant }: Holder) => ({ envelope_id: approval, tenant });

/**
 * Takes an approval for one execution, if it is still unused and in time.
 * @param bound what the row must still say of the call.
 */
export const takeForExecution = (
  holder: Holder,
  by: NonNullable<ApprovalRow['executed_by']>,
  nowMs: number,
  bound: Partial<ApprovalRow> = {},
): Change =>
  moveApproval(rowOf(holder), 'use', {
    set: { lease_owner: holder.owner, lease_expires_at: leaseEnd(nowMs), executed_by: by },
    where: bound,
    after: { attribute: 'use_expires_at', time: isoTime(nowMs) },
  });

/** When a lease that is taken or renewed now ends. */
export const leaseEnd = (nowMs: number): string => isoTime(nowMs + approvalLeaseSeconds * 1000);

/** The end of an execution. Only the holder of the lease may record it. */
export const finishExecution = (holder: Holder, outcome: ExecutionOutcome, kept: KeptResult = {}): Change =>
  moveApproval(rowOf(holder), 'finish', { set: { outcome, ...kept }, where: { lease_owner: holder.owner } });

/** Nothing was called: the approval is as it was before, for as long as it may still be used. */
export const releaseApproval = (holder: Holder): Change =>
  moveApproval(rowOf(holder), 'give_back', {
    set: {},
    clear: ['lease_owner', 'lease_expires_at', 'executed_by'],
    where: { lease_owner: holder.owner },
  });
