/** Runs every minute: heals what a crash left behind, and publishes how long people keep agents waiting. */
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { healReservations } from '#core/limits/heal.ts';
import type { GatewayPorts } from '../ports.ts';
import { stepPorts } from '../step-ports.ts';

export const door = (ports: GatewayPorts) => {
  const steps = stepPorts(ports);
  return async () => {
    const swept = await sweepApprovals(steps);
    const { pending, oldest_seconds, ...approvals } = swept;
    const { configuration } = await ports.snapshots.current();
    const reservations = await healReservations(
      ports,
      configuration.tenants.map(({ id }) => id),
    );
    const healed = { ...approvals, reservations };
    ports.telemetry.gauge('svc_approvals_pending', pending);
    ports.telemetry.gauge('svc_approval_oldest_seconds', oldest_seconds);
    if (Object.values(healed).some((count) => count > 0)) ports.telemetry.log('info', 'sweep healed', healed);
    return swept;
  };
};
