/** The heartbeat of a schedule [watch.heartbeats]: a run that did its work counts one, and an alarm reports when none does. */
import type { ScheduledFunction } from '#core/contracts/functions.ts';
import type { Telemetry } from '#core/kernel/ports.ts';

/** Called at the end of a run, so that neither a failed nor a late one counts. */
export const scheduleCompleted = (
  { telemetry }: { readonly telemetry: Telemetry },
  schedule: ScheduledFunction,
): void => telemetry.count('svc_schedule_completed_total', { schedule });
