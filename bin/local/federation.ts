/** A data plane on this machine: polls its control plane at the configured interval [federation.poll]. */
import type { GatewayPorts } from '#lambdas/ports.ts';
import { repeatEvery, type Schedule } from './schedule.ts';

/** Interval between checks whether a poll is due. */
const lookEveryMs = 500;

/** Polls the control plane, on a data plane only. A configuration change can turn a gateway into one at any time. */
export function followControlPlane(ports: GatewayPorts, poll: () => Promise<unknown>): Schedule {
  let last = Number.NEGATIVE_INFINITY;
  return repeatEvery(
    lookEveryMs,
    async () => {
      const { federation } = (await ports.snapshots.current({ evenStale: true })).configuration;
      const passed = ports.clock.now() - last;
      // A clock that was set back must not stop the polls.
      if (passed >= 0 && passed < federation.poll_seconds * 1000) return;
      last = ports.clock.now();
      await poll();
    },
    (fault) =>
      ports.telemetry.log('error', 'following the control plane failed', {
        error: fault instanceof Error ? fault.message : String(fault),
      }),
  );
}
