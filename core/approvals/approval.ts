/**
 * States and transitions of an approval, as one pure table that every move uses. The state machine owns timing; the
 * row's conditional writes determine which of two events came first.
 */
import type { ApprovalRow, ApprovalStatus, RefusedUse } from '#core/contracts/approval.ts';
import type { Change } from '#core/evidence/ports.ts';
import { isoTime } from '#core/kernel/ports.ts';

export const approvalEvents = [
  'vote',
  'approve',
  'deny',
  'timeout',
  'use',
  'refuse',
  'finish',
  'give_back',
  'lease_lost',
] as const;
type ApprovalEvent = (typeof approvalEvents)[number];

/**
 * `vote`: one of several approvals, but not the last. `refuse`: the gateway may no longer make the approved call.
 * `give_back`: the call did not run, and the approval can be used again.
 */
const moves: Readonly<Record<ApprovalStatus, Partial<Record<ApprovalEvent, ApprovalStatus>>>> = {
  pending: { vote: 'pending', approve: 'approved', deny: 'denied', timeout: 'denied' },
  approved: { use: 'executing', refuse: 'consumed' },
  executing: { finish: 'consumed', give_back: 'approved', lease_lost: 'consumed' },
  denied: {},
  consumed: {},
};

/** Returns the state after an event, or undefined if the event comes too late. */
export const transition = (status: ApprovalStatus, event: ApprovalEvent): ApprovalStatus | undefined =>
  moves[status][event];

/** Returns the only state in which an event is allowed, and the state that follows it. */
function moveOf(event: ApprovalEvent): { readonly from: ApprovalStatus; readonly to: ApprovalStatus } {
  for (const from of Object.keys(moves) as ApprovalStatus[]) {
    const to = transition(from, event);
    if (to !== undefined) return { from, to };
  }
  throw new Error(`the approval state table has no transition for ${event}`);
}

type Move = Extract<Change, { type: 'approval.move' }>;

/**
 * Returns the change that moves a row according to the table. It fails if the row is in another state or a condition is
 * not met.
 */
export const moveApproval = (
  { envelope_id: id, tenant }: Pick<ApprovalRow, 'envelope_id' | 'tenant'>,
  event: ApprovalEvent,
  how: Pick<Move, 'set' | 'clear' | 'where' | 'after' | 'stampEntry'>,
): Move => ({ type: 'approval.move', id, tenant, ...moveOf(event), ...how });

/** Seconds that an executing call may go without an outcome before it counts as `unknown`. */
export const approvalLeaseSeconds = 120;

/** Seconds during which a denial limited to its session also applies to the identical call on later connections. */
const shortestDenialSeconds = 600;

/**
 * Reason why the gateway did not make an approved call, or why a call cannot use an approval, returned as
 * `error.data.reason`.
 */
export type UnusableReason =
  | 'pending'
  | 'denied'
  | 'withdrawn'
  | 'already_used'
  | 'expired'
  | 'other_session'
  | 'other_key'
  | 'call_changed'
  | 'policy_changed'
  | 'unknown_approval'
  /** The row claims a vote that is not recorded in any evidence entry. */
  | 'not_in_evidence'
  | RefusedUse;

interface Attempt {
  readonly call_digest: string;
  readonly key_id: string;
  readonly session_id: string;
  readonly matched_rule: string;
  /** ISO 8601. */
  readonly now: string;
}

/**
 * Returns why a call may not use an approval now; undefined if it may. The conditional write makes the final decision.
 */
export function unusableReason(row: ApprovalRow | undefined, attempt: Attempt): UnusableReason | undefined {
  if (!row) return 'unknown_approval';
  if (row.key_id !== attempt.key_id) return 'other_key';
  if (row.session_id !== attempt.session_id) return 'other_session';
  if (row.call_digest !== attempt.call_digest) return 'call_changed';
  if (row.status === 'denied') return deniedBy(row);
  if (row.status === 'pending') return row.expires_at > attempt.now ? 'pending' : 'expired';
  if (row.status === 'consumed') return row.refused_because ?? 'already_used';
  if (row.status === 'executing') return 'already_used';
  if (row.matched_rule !== attempt.matched_rule) return 'policy_changed';
  if ((row.use_expires_at ?? row.expires_at) <= attempt.now) return 'expired';
  return undefined;
}

/**
 * Returns how the request ended: denied by a human, timed out, or withdrawn by the caller. Only the first is a denial.
 */
const deniedBy = ({ reason }: ApprovalRow): 'denied' | 'expired' | 'withdrawn' =>
  reason === 'timeout' ? 'expired' : reason === 'withdrawn' ? 'withdrawn' : 'denied';

/**
 * Checks whether an identical call still gets this request's result instead of opening a new request [approval.denied].
 */
export const isAnswerCurrent = (row: ApprovalRow, now: string): boolean =>
  row.status === 'pending' ? row.expires_at > now : isDenialCurrent(row, now);

const isDenialCurrent = (row: ApprovalRow, now: string): boolean => {
  if (!isHumanDenial(row)) return false;
  const ends = denialExpiresAt(row);
  return ends === undefined || now < ends;
};

/** Checks whether a denial applies to the identical call on a later connection of its client. */
export const isDenialJoinable = (row: ApprovalRow, now: string): boolean =>
  isHumanDenial(row) &&
  now < (denialExpiresAt(row) ?? isoTime(Date.parse(row.decided_at ?? '') + shortestDenialSeconds * 1000));

const isHumanDenial = (row: ApprovalRow): boolean =>
  row.status === 'denied' && row.decided_at !== undefined && deniedBy(row) === 'denied';

/**
 * Returns the time until which a human's denial applies to the identical call; undefined for the rest of the session.
 */
export const denialExpiresAt = (row: ApprovalRow): string | undefined =>
  isHumanDenial(row) && row.denial_seconds !== undefined
    ? isoTime(Date.parse(row.decided_at ?? '') + row.denial_seconds * 1000)
    : undefined;
