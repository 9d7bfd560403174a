/** Computes when the sweep must check an approval. Rows without such a time are not in its list. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { isMadeByGateway } from './choose-waiting.ts';

/** Milliseconds that a clock has to start or be released before the sweep repeats it. Repeating is harmless. */
export const graceMs = 5_000;

/**
 * Milliseconds after the decision at which a call that the gateway should have made, and did not start, gets a second
 * execution. Longer than the retries of the first one.
 */
const restartMs = 300_000;

type Timed = Pick<ApprovalRow, 'status'> &
  Partial<
    Pick<
      ApprovalRow,
      'queued_at' | 'expires_at' | 'clock_started' | 'decided_at' | 'given_back_at' | 'lease_expires_at'
    >
  >;

/**
 * Returns the ISO time at which the row becomes overdue: a clock that did not start, a request without a decision, a
 * clock that was not released, or a lease without an outcome. Undefined if it cannot become overdue.
 */
export function dueAt(row: Timed): string | undefined {
  const { status, queued_at, expires_at, clock_started, decided_at, given_back_at, lease_expires_at } = row;
  switch (status) {
    case 'pending':
      return queued_at === undefined || clock_started ? expires_at : earlier(inGrace(queued_at), expires_at);
    case 'approved':
    case 'denied': {
      const settled = given_back_at ?? decided_at;
      return settled === undefined ? undefined : inGrace(settled);
    }
    case 'executing':
      return lease_expires_at;
    case 'consumed':
      return undefined;
  }
}

/**
 * Returns the ISO time at which an approved call that the gateway makes gets a second execution; undefined if it makes
 * none or has had its second one. Half of the time in which the approval can be used, if that is shorter.
 */
export function restartAt(row: ApprovalRow, approvals: Pick<Configuration['approvals'], 'on_approval'>) {
  if (row.status !== 'approved' || row.restarted || row.withheld.length > 0) return undefined;
  if (!isMadeByGateway(approvals, row.caller_executes === true)) return undefined;
  const since = Date.parse(row.given_back_at ?? row.decided_at ?? row.queued_at);
  const usable = Date.parse(row.use_expires_at ?? row.expires_at) - since;
  return isoTime(since + Math.min(restartMs, Math.max(0, usable / 2)));
}

/** Returns when the row becomes overdue once its execution no longer waits. */
export const dueOnceReleased = (row: ApprovalRow, approvals: Pick<Configuration['approvals'], 'on_approval'>) =>
  row.status === 'executing' ? row.lease_expires_at : restartAt(row, approvals);

const inGrace = (iso: string): string => isoTime(Date.parse(iso) + graceMs);
const earlier = (a: string, b = a): string => (a < b ? a : b);
