/** Computes when the sweep must check an approval. Rows without such a time are not in its list. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';

/** Milliseconds that a clock has to start or be released before the sweep repeats it. Repeating is harmless. */
export const graceMs = 5_000;

type Timed = Pick<ApprovalRow, 'status'> &
  Partial<Pick<ApprovalRow, 'queued_at' | 'expires_at' | 'clock_started' | 'decided_at' | 'lease_expires_at'>>;

/**
 * Returns the ISO time at which the row becomes overdue: a clock that did not start, a request without a decision, a
 * clock that was not released, or a lease without an outcome. Undefined if it cannot become overdue.
 */
export function dueAt(row: Timed): string | undefined {
  const { status, queued_at, expires_at, clock_started, decided_at, lease_expires_at } = row;
  switch (status) {
    case 'pending':
      return queued_at === undefined || clock_started ? expires_at : earlier(inGrace(queued_at), expires_at);
    case 'approved':
    case 'denied':
      return decided_at === undefined ? undefined : inGrace(decided_at);
    case 'executing':
      return lease_expires_at;
    case 'consumed':
      return undefined;
  }
}

const inGrace = (iso: string): string => isoTime(Date.parse(iso) + graceMs);
const earlier = (a: string, b = a): string => (a < b ? a : b);
