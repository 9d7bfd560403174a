/**
 * Announces a decision: measures its duration, notifies the channels and releases the pending clock. Failures here do
 * not undo or delay the decision.
 */

import { enqueueNotifications } from '#core/approvals/notifications/enqueue.ts';
import type { DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import type { ApprovalClock } from './ports.ts';

interface AnnouncePorts {
  readonly clock: Clock;
  readonly deliveries: DeliveryStore;
  readonly approvalClock: ApprovalClock;
  readonly telemetry: Telemetry;
}

export async function announceDecision(
  ports: AnnouncePorts,
  row: ApprovalRow,
  channels: readonly string[],
): Promise<void> {
  const waitedSeconds = (ports.clock.now() - Date.parse(row.queued_at)) / 1000;
  ports.telemetry.gauge('svc_approval_latency_seconds', waitedSeconds);
  const event = row.status === 'denied' ? 'denied' : 'approved';
  await bestEffort(ports, row, 'notification', () => enqueueNotifications(ports, [...channels], event, row));
  const { task_token } = row;
  if (task_token)
    await bestEffort(ports, row, 'clock', () => ports.approvalClock.settle(task_token, { status: row.status }));
}

/** Runs the work and only logs failures, since the approval's clock and the sweep repeat it. */
export async function bestEffort(
  ports: Pick<AnnouncePorts, 'telemetry'>,
  row: Pick<ApprovalRow, 'envelope_id'>,
  what: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    ports.telemetry.log('warn', `approval ${what} postponed`, { envelope_id: row.envelope_id, error });
  }
}
