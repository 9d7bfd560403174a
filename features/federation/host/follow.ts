/** A data plane on this machine: polls its control plane at the configured interval [federation.poll]. */
import type { GatewayPorts } from '#core/operations/ports.ts';
import { repeatEvery, type Schedule } from '../../../bin/local/schedule.ts';
import { controlPlane } from '../adapters/control-plane.ts';
import { createPoll, ofSigningKey } from '../poll-handler.ts';

/** Interval between checks whether a poll is due. */
const lookEveryMs = 500;

/** Polls the control plane, on a data plane only. A configuration change can turn a gateway into one at any time. */
export function startWork(ports: GatewayPorts): Schedule {
  const poll = createPoll(ports, controlPlane, ofSigningKey(ports));
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
