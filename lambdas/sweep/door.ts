/** Runs every minute: heals what a crash left behind, and publishes how long people keep agents waiting. */
import { closeAbandoned } from '#core/actions/sweep-actions.ts';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { sweepCredentials } from '#core/credentials/registry.ts';
import { healReservations } from '#core/limits/heal.ts';
import type { GatewayPorts } from '../ports.ts';
import { stepPorts } from '../step-ports.ts';

export const door = (ports: GatewayPorts) => {
  const steps = stepPorts(ports);
  return async () => {
    const swept = await sweepApprovals(steps);
    const { pending, oldest_seconds, ...approvals } = swept;
    const healed = { ...approvals, ...(await others(ports)) };
    ports.telemetry.gauge('svc_approvals_pending', pending);
    ports.telemetry.gauge('svc_approval_oldest_seconds', oldest_seconds);
    if (Object.values(healed).some((count) => count > 0)) ports.telemetry.log('info', 'sweep healed', healed);
    return swept;
  };
};

/** Each by itself: what one cannot heal must not keep the other from its work. */
async function others(ports: GatewayPorts): Promise<{ reservations: number; credentials: number; actions: number }> {
  const { configuration } = await ports.snapshots.current();
  const tenants = configuration.tenants.map(({ id }) => id);
  const [reservations, credentials, actions] = await Promise.all([
    healed(ports, 'reservations', () => healReservations(ports, tenants)),
    healed(ports, 'credentials', () => sweepCredentials(ports)),
    healed(ports, 'started actions', () => closeAbandoned(ports)),
  ]);
  return { reservations, credentials, actions };
}

async function healed(ports: GatewayPorts, what: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (thrown) {
    ports.telemetry.log('error', `the sweep of ${what} failed`, { error: (thrown as Error).message });
    return 0;
  }
}
