/**
 * What an approval may become (spec §3.2, contract §3): the meaning, as one pure table. The state machine owns time,
 * the row's conditional writes own who was first.
 */
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';

export const approvalEvents = ['approve', 'deny', 'timeout', 'use', 'finish', 'lease_lost'] as const;
export type ApprovalEvent = (typeof approvalEvents)[number];

const moves: Readonly<Record<ApprovalStatus, Partial<Record<ApprovalEvent, ApprovalStatus>>>> = {
  pending: { approve: 'approved', deny: 'denied', timeout: 'denied' },
  approved: { use: 'executing' },
  executing: { finish: 'consumed', lease_lost: 'consumed' },
  denied: {},
  consumed: {},
};

/** The state an event leads to, or undefined when the event comes too late: the record then answers. */
export const transition = (status: ApprovalStatus, event: ApprovalEvent): ApprovalStatus | undefined =>
  moves[status][event];

/** How long an executing call may stay without an outcome before it counts as `unknown`. */
export const leaseSeconds = 120;

/** After a denial the identical call is answered with the same id for this long; then it may ask anew. */
export const denialStandsSeconds = 60;

/** Why an approval cannot be used by a call: `error.data.reason` of the review that follows (contract §3). */
export type Unusable =
  | 'pending'
  | 'denied'
  | 'timeout'
  | 'already_used'
  | 'expired'
  | 'other_session'
  | 'other_key'
  | 'call_changed'
  | 'policy_changed'
  | 'unknown_approval';

interface Attempt {
  readonly call_digest: string;
  readonly key_id: string;
  readonly session_id: string;
  readonly matched_rule: string;
  /** ISO 8601. */
  readonly now: string;
}

/** Whether a call may use an approval now; undefined means it may. The conditional write has the last word. */
export function unusable(row: ApprovalRow | undefined, attempt: Attempt): Unusable | undefined {
  if (!row) return 'unknown_approval';
  if (row.key_id !== attempt.key_id) return 'other_key';
  if (row.session_id !== attempt.session_id) return 'other_session';
  if (row.call_digest !== attempt.call_digest) return 'call_changed';
  if (row.status === 'denied') return row.reason === 'timeout' ? 'timeout' : 'denied';
  if (row.status === 'pending') return row.expires_at > attempt.now ? 'pending' : 'timeout';
  if (row.status === 'consumed' || row.status === 'executing') return 'already_used';
  if (row.matched_rule !== attempt.matched_rule) return 'policy_changed';
  if ((row.use_expires_at ?? row.expires_at) <= attempt.now) return 'expired';
  return undefined;
}

/** Whether the identical call keeps being answered with this request instead of opening a new one. */
export function stillStands(row: ApprovalRow, now: string): boolean {
  if (row.status === 'pending') return row.expires_at > now;
  if (row.status !== 'denied' || !row.decided_at) return false;
  return Date.parse(now) - Date.parse(row.decided_at) < denialStandsSeconds * 1000;
}
