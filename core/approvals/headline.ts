/** How an approval stands, in the one line that messages begin with. */
import type { ApprovalRow } from '#core/contracts/approval.ts';

/** @param shown makes a text of people harmless in the channel, in at most that many characters. */
export function headlineOf(row: ApprovalRow, shown: (text: string, room: number) => string): string {
  if (row.status === 'pending') return `Approval needed before ${row.expires_at}`;
  if (row.reason === 'timeout') return 'Timed out: no reviewer decided in time';
  const verdict = row.status === 'denied' ? 'Denied' : 'Approved';
  const by = shown(row.person ?? row.reviewer ?? 'a reviewer', 100);
  return `${verdict} by ${by}${row.comment ? `: ${shown(row.comment, 300)}` : ''}`;
}
