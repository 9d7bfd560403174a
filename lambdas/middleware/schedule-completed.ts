/** Schedule heartbeats [watch.alarms]: each completed run is counted once, and an alarm reports missing runs. */
import type { ConfigStore } from '#core/configuration/ports.ts';
import type { ScheduledFunction } from '#core/contracts/functions.ts';
import type { Telemetry } from '#core/kernel/ports.ts';

/** Counts a completed run. It is called at the end of the run, so that failed and hanging runs do not count. */
export const scheduleCompleted = (
  { telemetry }: { readonly telemetry: Telemetry },
  schedule: ScheduledFunction,
): void => telemetry.count('svc_schedule_completed_total', { schedule });

/**
 * Runs a schedule's work and counts the run as completed. A run before the first configuration is stored also counts:
 * nothing can be due, and an operator does not need to act [watch.alarms].
 */
export async function completing<T>(
  ports: { readonly telemetry: Telemetry; readonly configStore: Pick<ConfigStore, 'inForce'> },
  schedule: ScheduledFunction,
  work: () => Promise<T>,
): Promise<T | undefined> {
  let done: T | undefined;
  try {
    done = await work();
  } catch (thrown) {
    if ((await ports.configStore.inForce()) !== undefined) throw thrown;
  }
  scheduleCompleted(ports, schedule);
  return done;
}
