/** Steps of the approval state machine (state-machines/approval.asl.json). Each is safe to repeat. */

import { enqueueNotifications, enqueueSubmitted } from '#core/approvals/notifications/enqueue.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { bestEffort } from './announce.ts';
import { channelsOf } from './channels.ts';
import { overdueAfterRelease } from './due.ts';
import { expire } from './expire.ts';
import type { VotePorts } from './ports.ts';

/** The host of a step, with the time its function ends (epoch milliseconds), absent if it has no end. */
export interface Host {
  readonly endsAtMs?: number;
}

export interface StepPorts extends VotePorts {
  readonly configuration: () => Promise<Configuration>;
  /** `on_approval: execute`: runs the approved call at most once and returns the new row. */
  readonly execute: (row: ApprovalRow, host?: Host) => Promise<ApprovalRow>;
}

/** Marks the clock as started, notifies the channels and returns the seconds left to decide. */
export async function announce(ports: StepPorts, envelopeId: string): Promise<{ seconds_left: number }> {
  const row = await rowOf(ports, envelopeId);
  await ports.approvals.clockStarted(row);
  if (row.status === 'pending') {
    const configuration = await ports.configuration();
    const { escalate_to } = configuration.approvals;
    const channels = channelsOf(ports, configuration, row);
    await bestEffort(ports, row, 'notification', () => enqueueSubmitted(ports, channels, escalate_to, row));
  }
  const left = Math.ceil((Date.parse(row.expires_at) - ports.clock.now()) / 1000);
  return { seconds_left: Math.max(1, left) };
}

/** Stores the task token in the row, or releases it immediately if a decision has already been made. */
export async function hold(ports: StepPorts, envelopeId: string, taskToken: string): Promise<void> {
  const row = await ports.approvals.holdToken(envelopeId, taskToken);
  if (row.status !== 'pending') await ports.approvalClock.settle(taskToken, { status: row.status });
}

/** Settles the row: denies an expired request, executes an approved call, notifies the channels. */
export async function settle(ports: StepPorts, envelopeId: string, host: Host = {}): Promise<{ status: string }> {
  let row = await rowOf(ports, envelopeId);
  const configuration = await ports.configuration();
  const channels = channelsOf(ports, configuration, row);
  if (row.status === 'pending') {
    if (row.expires_at > isoTime(ports.clock.now())) return { status: 'pending' };
    row = await expire(ports, row, channels);
  }
  await enqueueNotifications(ports, channels, row.status === 'denied' ? 'denied' : 'approved', row);
  if (row.task_token) await ports.approvals.releaseToken(row, overdueAfterRelease(row, configuration.approvals));
  if (row.status === 'approved' && configuration.approvals.on_approval === 'execute')
    row = await ports.execute(row, host);
  return { status: row.status };
}

async function rowOf(ports: StepPorts, envelopeId: string): Promise<ApprovalRow> {
  const row = await ports.approvals.find(envelopeId);
  if (!row) throw notFound(things.approval, envelopeId);
  return row;
}
