/** The first line of messages, which gives the state of an approval. */
import type { ApprovalRow } from '#core/contracts/approval.ts';

/**
 * Returns the headline.
 * @param shown escapes text written by people for the channel and limits it to `room` characters.
 */
export function headlineOf(row: ApprovalRow, shown: (text: string, room: number) => string): string {
  if (row.status === 'pending') return `Approval needed before ${row.expires_at}`;
  if (row.reason === 'timeout') return 'Timed out: no reviewer decided in time';
  const verdict = row.status === 'denied' ? 'Denied' : 'Approved';
  const by = shown(row.person ?? row.reviewer ?? 'a reviewer', 100);
  return `${verdict} by ${by}${row.comment ? `: ${shown(row.comment, 300)}` : ''}`;
}
