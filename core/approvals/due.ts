/** Computes when the sweep must check an approval. The sweep does not list rows without such a time. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { isMadeByGateway } from './choose-waiting.ts';

/**
 * Milliseconds within which a clock must start or be released before the sweep repeats the step. Repeating is harmless.
 */
export const graceMs = 5_000;

/**
 * Milliseconds after the decision at which a call that the gateway should have made but did not start gets a second
 * execution. Longer than the retries of the first execution.
 */
const restartMs = 300_000;

type ApprovalTimes = Pick<ApprovalRow, 'status'> &
  Partial<
    Pick<
      ApprovalRow,
      'queued_at' | 'expires_at' | 'clock_started' | 'decided_at' | 'given_back_at' | 'lease_expires_at'
    >
  >;

/**
 * Returns the ISO time at which the row becomes overdue: the clock did not start, no decision was made on the request,
 * the clock was not released, or a lease ended without an outcome. Undefined if the row cannot become overdue.
 */
export function dueAt(row: ApprovalTimes): string | undefined {
  const { status, queued_at, expires_at, clock_started, decided_at, given_back_at, lease_expires_at } = row;
  switch (status) {
    case 'pending':
      return queued_at === undefined || clock_started ? expires_at : earlierTime(afterGrace(queued_at), expires_at);
    case 'approved':
    case 'denied': {
      const settled = given_back_at ?? decided_at;
      return settled === undefined ? undefined : afterGrace(settled);
    }
    case 'executing':
      return lease_expires_at;
    case 'consumed':
      return undefined;
  }
}

/**
 * Returns the ISO time at which an approved call that the gateway makes gets a second execution; undefined if the
 * gateway does not make the call or the second execution has already started. The wait is at most half of the time in
 * which the approval can be used.
 */
export function restartAt(row: ApprovalRow, approvals: Pick<Configuration['approvals'], 'on_approval'>) {
  if (row.status !== 'approved' || row.restarted || row.withheld.length > 0) return undefined;
  if (!isMadeByGateway(approvals, row.caller_executes === true)) return undefined;
  const since = Date.parse(row.given_back_at ?? row.decided_at ?? row.queued_at);
  const usable = Date.parse(row.use_expires_at ?? row.expires_at) - since;
  return isoTime(since + Math.min(restartMs, Math.max(0, usable / 2)));
}

/** Returns when the row becomes overdue after its execution is no longer waiting. */
export const overdueAfterRelease = (row: ApprovalRow, approvals: Pick<Configuration['approvals'], 'on_approval'>) =>
  row.status === 'executing' ? row.lease_expires_at : restartAt(row, approvals);

const afterGrace = (iso: string): string => isoTime(Date.parse(iso) + graceMs);
const earlierTime = (a: string, b = a): string => (a < b ? a : b);
