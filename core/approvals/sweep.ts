/**
 * Heals what a crash left behind (architecture: one action's life, steps 4–7): clocks that did not start, waiting
 * executions whose row is decided, items whose time passed, leases that ended without an outcome.
 */
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { healedLater } from './announce.ts';
import { moveApproval } from './approval.ts';
import { channelsOf } from './channels.ts';
import type { StepPorts } from './steps.ts';
import { timeOut } from './vote.ts';

/** A clock is given this long to start before the sweep starts it again; starting twice is harmless. */
const startGraceMs = 5_000;
const pageSize = 200;

export interface Swept {
  readonly pending: number;
  readonly oldest_seconds: number;
  readonly timed_out: number;
  readonly started: number;
  readonly released: number;
  readonly leases_ended: number;
}

export async function sweepApprovals(ports: StepPorts): Promise<Swept> {
  const configuration = await ports.configuration();
  const count = { pending: 0, oldest_seconds: 0, timed_out: 0, started: 0, released: 0, leases_ended: 0 };
  const now = ports.clock.now();

  for (const { id: tenant } of configuration.tenants) {
    for await (const row of all(ports, tenant, 'pending')) {
      if (row.expires_at <= isoTime(now)) {
        await timeOut(ports, row, channelsOf(configuration, row));
        count.timed_out++;
        continue;
      }
      count.pending++;
      count.oldest_seconds = Math.max(count.oldest_seconds, Math.round((now - Date.parse(row.queued_at)) / 1000));
      if (!row.clock_started && now - Date.parse(row.queued_at) > startGraceMs) {
        await healedLater(ports, row, 'clock', () => ports.approvalClock.start(row.envelope_id));
        count.started++;
      }
    }
    for (const status of ['approved', 'denied'] as const) {
      const { items } = await ports.approvals.list(tenant, status, { limit: pageSize });
      for (const { task_token, envelope_id } of items) {
        if (!task_token) continue;
        await healedLater(ports, { envelope_id }, 'clock', async () => {
          await ports.approvalClock.settle(task_token, { status });
          await ports.approvals.releaseToken(envelope_id);
        });
        count.released++;
      }
    }
    for await (const row of all(ports, tenant, 'executing')) {
      if ((row.lease_expires_at ?? '') > isoTime(now)) continue;
      await endLease(ports, row);
      count.leases_ended++;
    }
  }
  return count;
}

/** Nobody knows whether the call ran: `unknown` is an outcome of its own and is never retried blindly. */
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
        // A lease that its holder has renewed meanwhile goes on.
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

async function* all(ports: StepPorts, tenant: string, status: ApprovalStatus): AsyncIterable<ApprovalRow> {
  let cursor: string | undefined;
  do {
    const page = await ports.approvals.list(tenant, status, {
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== undefined);
}
