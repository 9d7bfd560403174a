/** Heartbeats of schedules [watch.heartbeats]: each completed run counts one, and an alarm reports missing ones. */
import type { ScheduledFunction } from '#core/contracts/functions.ts';
import type { Telemetry } from '#core/kernel/ports.ts';

/** Counts a completed run. Called at its end, so that failed and hanging runs do not count. */
export const scheduleCompleted = (
  { telemetry }: { readonly telemetry: Telemetry },
  schedule: ScheduledFunction,
): void => telemetry.count('svc_schedule_completed_total', { schedule });
