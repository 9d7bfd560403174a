/** Schedules that stopped: no completed run is an alarm, and so is missing data [watch.heartbeats]. */
import { Duration } from 'aws-cdk-lib';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { functions, type ScheduledFunction } from '#core/contracts/functions.ts';
import type { AlarmInputs, AlarmRow } from './alarm.ts';

/** Ten runs missed. */
const missedMinutes = 10;

/**
 * How long nothing may be heard. A run each day is looked at over two, because it does not begin at the same second:
 * CloudWatch looks back at most seven days, with periods of an hour or more.
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
        heartbeat: true,
        // A gateway without its sweep serves callers, and time-outs of approvals wait.
        severity: name === 'archive-check' ? 'ticket' : 'page',
        metric: own.scheduleCompleted(name).with({ period }),
        threshold: 1,
      },
    ];
  });
