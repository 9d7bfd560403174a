/**
 * Repairs approvals after a crash: clocks that did not start, executions still waiting after the decision, expired
 * requests, leases that ended without an outcome [approval.machine], and approved calls that the gateway did not make
 * [approval.restarted]. Reads only due rows of all tenants, longest overdue first. A row that cannot be repaired is
 * postponed, so that it does not delay others.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { moveApproval } from './approval.ts';
import { channelsOf } from './channels.ts';
import { dueAt, restartAt } from './due.ts';
import { expire } from './expire.ts';
import type { StepPorts } from './steps.ts';

/** Milliseconds before a failed or unconfirmed row is checked again. */
const againMs = 55_000;
const concurrency = 20;
/** Maximum duration of a sweep in milliseconds. The next one continues with the rows longest overdue. */
export const sweepMs = 40_000;

type SweepAction = 'timed_out' | 'started' | 'released' | 'leases_ended' | 'restarted';

export async function sweepApprovals(ports: StepPorts) {
  const configuration = await ports.configuration();
  const now = ports.clock.now();
  const count: Record<SweepAction, number> = { timed_out: 0, started: 0, released: 0, leases_ended: 0, restarted: 0 };
  let overdueMs = 0;
  await sideBySide(
    ports.approvals.due(isoTime(now)),
    concurrency,
    async (row) => {
      if (row.status === 'pending') overdueMs = Math.max(overdueMs, now - Date.parse(row.expires_at));
      const healed = await repairRow(ports, configuration, row);
      if (healed) count[healed]++;
    },
    () => ports.clock.now() - now < sweepMs,
  );
  const { pending, oldest } = await ports.approvals.waiting();
  const oldest_seconds = oldest === undefined ? 0 : Math.max(0, Math.round((now - Date.parse(oldest)) / 1000));
  return { pending, oldest_seconds, overdue_seconds: Math.floor(overdueMs / 1000), ...count };
}

/** Repairs one row. A failure postpones that row and does not affect the others. */
async function repairRow(
  ports: StepPorts,
  configuration: Configuration,
  row: ApprovalRow,
): Promise<SweepAction | undefined> {
  const later = isoTime(ports.clock.now() + againMs);
  try {
    return await heal(ports, configuration, row, later);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown.message : String(thrown);
    ports.telemetry.log('warn', 'approval sweep postponed', { envelope_id: row.envelope_id, error });
    await ports.approvals.postpone(row, later).catch(() => undefined);
    return undefined;
  }
}

async function heal(
  ports: StepPorts,
  configuration: Configuration,
  row: ApprovalRow,
  later: string,
): Promise<SweepAction | undefined> {
  const { approvals, approvalClock } = ports;
  const now = isoTime(ports.clock.now());
  switch (row.status) {
    case 'pending':
      if (row.expires_at <= now) {
        await expire(ports, row, channelsOf(ports, configuration, row));
        return 'timed_out';
      }
      if (row.clock_started) {
        await approvals.postpone(row, row.expires_at);
        return undefined;
      }
      await approvalClock.start(row.envelope_id);
      await approvals.postpone(row, later < row.expires_at ? later : row.expires_at);
      return 'started';
    case 'approved':
    case 'denied': {
      const restart = restartAt(row, configuration.approvals);
      if (row.task_token) {
        await approvalClock.settle(row.task_token, { status: row.status });
        // The released execution is given its time first.
        await approvals.releaseToken(row, restart && (restart > later ? restart : later));
        return 'released';
      }
      if (restart === undefined || restart > now) {
        await approvals.releaseToken(row, restart);
        return undefined;
      }
      await approvalClock.start(row.envelope_id, `${row.envelope_id}-again`);
      await approvals.noteRestarted(row);
      return 'restarted';
    }
    case 'executing': {
      const ends = dueAt(row) ?? '';
      if (ends > now) {
        await approvals.postpone(row, ends);
        return undefined;
      }
      await endLease(ports, row);
      return 'leases_ended';
    }
    case 'consumed':
      return undefined;
  }
}

/** Ends a lease with the outcome `unknown`, since the call may have run. The call is never retried. */
async function endLease(ports: StepPorts, row: ApprovalRow): Promise<void> {
  await ports.ledger.commit({
    draft: {
      tenant: row.tenant,
      session_id: row.session_id,
      timestamp: isoTime(ports.clock.now()),
      kind: 'result',
      envelope_id: row.lease_owner ?? row.envelope_id,
      actor: { key_id: 'system' },
      body: {
        tool: row.tool,
        outcome: 'unknown',
        approval_ref: row.envelope_id,
        reason: 'lease ended without an outcome',
      },
    },
    changes: [
      moveApproval(row, 'lease_lost', {
        set: { outcome: 'unknown' },
        // Keeps a lease that its holder has renewed in the meantime.
        ...(row.lease_owner !== undefined && {
          where: {
            lease_owner: row.lease_owner,
            ...(row.lease_expires_at !== undefined && { lease_expires_at: row.lease_expires_at }),
          },
        }),
      }),
    ],
  });
}
