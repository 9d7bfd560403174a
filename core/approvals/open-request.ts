/** Checks that a request is still open and shows the call covered by its digest. */

import type { ApprovalRow } from '#core/contracts/approval.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { callDigest } from './call-digest.ts';
import { approvalRecord } from './views.ts';

/** Checks that the request is pending. @throws GatewayError `conflict` with the record if it is not. */
export function assertUndecided(row: ApprovalRow): void {
  if (row.status !== 'pending') throw alreadyDecided(row);
}

export function alreadyDecided(row: ApprovalRow | undefined): GatewayError {
  if (!row) return notFound(things.approval);
  const what =
    row.reason === 'timeout'
      ? 'has timed out: no reviewer decided in time, so it counts as denied. The agent may ask again'
      : `is already ${row.status} (by ${row.person ?? 'another vote'})`;
  return new GatewayError('conflict', `Approval ${row.envelope_id} ${what}.`, {
    data: { record: approvalRecord(row) },
  });
}

/** Returns the error for an approval given in a place that could not show the whole call [approval.whole-or-deny]. */
export const notWhole = (place: string, id: string): GatewayError =>
  new GatewayError(
    'conflict',
    `Not counted: ${place} is too small to show all of this call. Approve it in the web console, or after reading all of it (agentctl show ${id} --full). It can be denied here.`,
  );

/**
 * Checks that the row shows the call covered by its digest. If it does not, the row was changed outside the gateway.
 * Rows with redacted fields cannot be checked, since their digest cannot be recomputed.
 */
export function assertUnchanged(row: ApprovalRow): void {
  if (row.withheld.length > 0 || callDigest(row) === row.call_digest) return;
  throw new GatewayError(
    'conflict',
    `Approval ${row.envelope_id} shows a different call than its digest covers: the row was changed. Deny it; the agent may ask again.`,
  );
}
