/** A data plane on this machine: asks its control plane as often as the configuration says [federation.poll]. */
import type { GatewayPorts } from '#lambdas/ports.ts';
import { every, type Schedule } from './schedule.ts';

/** How often it is looked whether a question is due. */
const lookEveryMs = 500;

/** Does nothing on a gateway that is not a data plane; one becomes a data plane with its configuration. */
export function followControlPlane(ports: GatewayPorts, poll: () => Promise<unknown>): Schedule {
  let last = Number.NEGATIVE_INFINITY;
  return every(
    lookEveryMs,
    async () => {
      const { federation } = (await ports.snapshots.current({ evenStale: true })).configuration;
      const passed = ports.clock.now() - last;
      // A clock that was set back must not end the questions.
      if (passed >= 0 && passed < federation.poll_seconds * 1000) return;
      last = ports.clock.now();
      await poll();
    },
    (fault) =>
      ports.telemetry.log('error', 'the control plane was not followed', {
        error: fault instanceof Error ? fault.message : String(fault),
      }),
  );
}
