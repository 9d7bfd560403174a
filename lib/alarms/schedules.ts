/** Alarms on schedules that have stopped: no completed run, or no data [watch.alarms]. */
import { Duration } from 'aws-cdk-lib';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { ScheduledFunction } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import type { AlarmInputs, AlarmRow } from './alarm.ts';

/** Ten missed runs. */
const missedMinutes = 10;

/**
 * Returns the longest allowed silence. A daily run is checked over two days, because its start time varies: CloudWatch
 * evaluates at most seven days, with periods of an hour or more.
 */
const lookBack = (everyMinutes: number) =>
  everyMinutes < 60
    ? { period: Duration.minutes(missedMinutes * everyMinutes), periods: [1, 1] as const }
    : { period: Duration.minutes(everyMinutes), periods: [2, 2] as const };

export const scheduleAlarms = ({ own }: AlarmInputs): AlarmRow[] =>
  (Object.entries(functions) as [ScheduledFunction, FunctionSpec][]).flatMap(([name, { schedule, optional }]) => {
    if (!schedule || optional) return [];
    const { period, periods } = lookBack(schedule.everyMinutes);
    return [
      {
        name: `${name}-stopped`,
        runbook: 'schedule-stopped',
        periods,
        // A daily run has not happened yet when the alarm is created.
        heartbeat: schedule.everyMinutes < 60 ? 'always' : 'after-first',
        // Without its sweep, a gateway still serves callers, but approval timeouts are delayed.
        severity: name === 'archive-check' ? 'ticket' : 'page',
        metric: own.scheduleCompleted(name).with({ period }),
        threshold: 1,
      },
    ];
  });
