/** When the sweep has to look at an approval: only rows with such a time stand in its list. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';

/** A clock is given this long to start or to be released before the sweep does it again; twice is harmless. */
export const graceMs = 5_000;

type Timed = Pick<ApprovalRow, 'status'> &
  Partial<Pick<ApprovalRow, 'queued_at' | 'expires_at' | 'clock_started' | 'decided_at' | 'lease_expires_at'>>;

/**
 * ISO time at which something is overdue if nothing happens before: a clock that did not start, a request that no reviewer
 * decided, a waiting clock that was not released, a lease without an outcome. Undefined when nothing can be.
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
