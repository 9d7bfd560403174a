/** A data plane on this machine: asks its control plane for the configuration and reports to it [federation.poll]. */
import { controlPlane } from '#adapters/http/control-plane.ts';
import { recordAct } from '#core/admin/record.ts';
import { pollControlPlane } from '#core/federation/poll.ts';
import { Reports } from '#core/federation/report.ts';
import { adminPrincipal } from '#core/identity/identities.ts';
import type { GatewayPorts } from '#lambdas/ports.ts';
import { every, type Schedule } from './schedule.ts';

/** How often it is looked whether a question is due: the configuration says how often to ask. */
const lookEveryMs = 500;

/** Does nothing unless the configuration in force makes this gateway a data plane. */
export function followControlPlane(ports: GatewayPorts, instance: string): Schedule {
  const reports = new Reports();
  const polling = { ...ports, controlPlane, record: recordOf(ports) };
  const reporting = { ...ports, controlPlane, instance };
  let due = 0;
  const failed = (what: string) => (fault: unknown) =>
    ports.telemetry.log('warn', what, { error: fault instanceof Error ? fault.message : String(fault) });
  return every(
    lookEveryMs,
    async () => {
      if (ports.clock.now() < due) return;
      const { federation } = (await ports.snapshots.current({ evenStale: true })).configuration;
      due = ports.clock.now() + federation.poll_seconds * 1000;
      if (federation.role !== 'data') return;
      await pollControlPlane(polling).catch(failed('the configuration of the control plane was not taken'));
      await reports.send(reporting).catch(failed('the control plane did not take the report'));
    },
    failed('the control plane was not followed'),
  );
}

const recordOf = (ports: GatewayPorts) => async (action: string, details: Record<string, unknown>) => {
  const { configuration } = await ports.snapshots.current({ evenStale: true });
  const principal = { ...adminPrincipal(configuration.tenants[0]?.id ?? 'default'), key_id: 'control-plane' };
  return recordAct(
    { ports, principal: { ...principal, name: 'control-plane', person: 'control-plane' } },
    action,
    details,
  );
};
