/**
 * Runs every minute: repairs state left behind by crashes, and publishes how long approvals have been pending. A
 * rollout's timer also runs it for that rollout.
 */
import * as z from 'zod';
import { closeAbandonedActions } from '#core/actions/sweep-actions.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { sweepCredentials } from '#core/execution/credentials/registry.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { Turns } from '#core/kernel/turns.ts';
import { healReservations } from '#core/limits/heal.ts';
import { keyCounters } from '#core/limits/limits-of-key.ts';
import { advanceRollout, advanceRollouts } from '#core/models/rollouts/advance.ts';
import { completing } from '../middleware/schedule-completed.ts';
import type { GatewayPorts } from '../ports.ts';
import { stepPorts } from '../step-ports.ts';

/** Event from a rollout's state machine. All other events come from the schedule. */
const rolloutLook = z.strictObject({ rollout_id: z.uuid() });

/**
 * Number of tenants from the configuration whose counters are checked concurrently. The same number from table rows is
 * checked at the same time.
 */
const tenantConcurrency = 20;
/** Maximum number of tenants stored as rows that are swept in one minute. All tenants get their turn eventually. */
const rowsPerSweep = 2_000;
/** Time limit. The remaining tenants come first in the next run. */
const longestMs = 40_000;

export const createHandler = (ports: GatewayPorts) => {
  const steps = stepPorts(ports);
  const turns = new Turns();
  return async (event?: unknown) => {
    const look = rolloutLook.safeParse(event);
    if (look.success) return advanceRollout(ports, look.data.rollout_id);
    return completing(ports, 'sweep', sweep);
  };

  async function sweep() {
    const rest = runOtherSweeps(ports, turns);
    try {
      const swept = await sweepApprovals(steps);
      const { pending, oldest_seconds, overdue_seconds, ...approvals } = swept;
      const healed = { ...approvals, ...(await rest) };
      ports.telemetry.gauge('svc_approvals_pending', pending);
      ports.telemetry.gauge('svc_approval_oldest_seconds', oldest_seconds);
      ports.telemetry.gauge('svc_approval_overdue_seconds', overdue_seconds);
      if (Object.values(healed).some((count) => count > 0)) ports.telemetry.log('info', 'sweep healed', healed);
      await reportGuards(ports);
      return swept;
    } finally {
      await rest;
    }
  }
};

/** Reports guards that a configuration has disabled, so that an operator notices [watch.alarms]. */
async function reportGuards({ snapshots, telemetry }: GatewayPorts): Promise<void> {
  const { configuration } = await snapshots.current({ evenStale: true });
  telemetry.gauge('svc_guards_disabled', new Set(configuration.tool_policies.disable_guards).size);
}

/** Runs the other sweeps independently, so that one failure does not stop the others. Never rejects. */
async function runOtherSweeps(
  ports: GatewayPorts,
  turns: Turns,
): Promise<{ reservations: number; credentials: number; actions: number; rollouts: number }> {
  const [reservations, credentials, actions, rollouts] = await Promise.all([
    tryHeal(ports, 'reservations', () => sweepReservations(ports, turns)),
    tryHeal(ports, 'credentials', () => sweepCredentials(ports)),
    tryHeal(ports, 'started actions', () => closeAbandonedActions(ports)),
    tryHeal(ports, 'rollouts', () => advanceRollouts(ports)),
  ]);
  return { reservations, credentials, actions, rollouts };
}

/**
 * Sweeps the tenants, continuing where the previous run stopped.
 * @param endedBy leases that end before this time (epoch milliseconds) count as ended; now by default.
 * @returns the number of settled reservations.
 */
export async function sweepReservations(
  ports: Pick<GatewayPorts, 'clock' | 'configStore' | 'counters' | 'evidence' | 'ledger' | 'snapshots' | 'telemetry'>,
  turns: Turns,
  endedBy?: number,
): Promise<number> {
  const { configuration, identities } = await ports.snapshots.current({ evenStale: true });
  const tenants = turns.order([...configuration.tenants.map(({ id }) => id), ...keyCounters(identities)]);
  const until = ports.clock.now() + longestMs;
  let healed = 0;
  const heal = (ids: readonly string[], took: (id: string) => void) =>
    sideBySide(
      ids,
      tenantConcurrency,
      async (tenant) => {
        took(tenant);
        const count = await healReservations(ports, [tenant], endedBy);
        healed += count;
      },
      () => ports.clock.now() < until,
    );
  const healRows = () =>
    turns.nextPage(rowsPerSweep, (after, most) => ports.configStore.tenantRowIds(after, most), heal);
  const done = await Promise.allSettled([heal(tenants, (id) => turns.took(id)), healRows()]);
  for (const each of done) if (each.status === 'rejected') throw each.reason;
  return healed;
}

async function tryHeal(ports: GatewayPorts, what: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (thrown) {
    ports.telemetry.log('error', `the sweep of ${what} failed`, { error: (thrown as Error).message });
    return 0;
  }
}
