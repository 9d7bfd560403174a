/** Alarms on functions that fail, are throttled, or lose events that are not retried. */
import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions as specs } from '#features/functions.ts';
import { routes } from '#features/routes.ts';
import {
  type AlarmInputs,
  type AlarmRow,
  failedPercent,
  fiveMinutes,
  type Severity,
  summed,
  sustained,
} from './alarm.ts';

/** Percentage of failed calls, and minimum number of failures, that raise an alarm. */
const worthAMessage = { percent: 5, failures: 3 };
/** Percentage of the account's concurrent executions in use that raises an alarm. */
const concurrencyPercent = 80;
/** Throttled calls per five minutes. A burst that is absorbed by retries stays below this number. */
const throttled = 10;

const names = Object.keys(specs) as FunctionName[];
const behindAnApi = new Set<FunctionName>(routes.map(({ handledBy }) => handledBy));

/**
 * Functions whose failures are not visible as a 5xx response, because they were not called over HTTP or the response
 * had already begun.
 */
export const watchedAlone = names.filter((name) => {
  const { streams, optional }: FunctionSpec = specs[name];
  return !optional && (streams === true || !behindAnApi.has(name));
});

/**
 * Functions whose work is delayed rather than lost: missed scheduled runs are detected by `<name>-stopped`, delayed
 * stream records by their age. No additional alarm reports that these functions are throttled.
 */
const waitedFor = (name: FunctionName): boolean => 'schedule' in specs[name] || 'streamsOf' in specs[name];
/**
 * Functions invoked only by a schedule. They run a few times in five minutes, so a number is as informative as a
 * percentage.
 */
const byScheduleAlone = (name: FunctionName): boolean => 'schedule' in specs[name] && !('streamsOf' in specs[name]);

const isDaily = (name: FunctionName): boolean => {
  const { schedule }: FunctionSpec = specs[name];
  return schedule !== undefined && schedule.everyMinutes >= 60;
};

/** Checks whether callers wait for this function. */
const servesCallers = (name: FunctionName): boolean =>
  behindAnApi.has(name) || name === 'ws' || name === 'ws-worker' || name === 'approval-steps';

/**
 * Returns the failure measure: a percentage of the invocations, or a number of runs. A daily function runs at most twice
 * in five minutes, so its first failure counts.
 */
const failures = (name: FunctionName, fn: IFunction): Pick<AlarmRow, 'metric' | 'threshold' | 'periods'> =>
  byScheduleAlone(name)
    ? {
        metric: fn.metricErrors(summed),
        ...(isDaily(name) ? { threshold: 1, periods: [1, 1] } : { threshold: worthAMessage.failures }),
      }
    : {
        metric: failedPercent(
          'failed (%)',
          fn.metricErrors(summed),
          fn.metricInvocations(summed),
          worthAMessage.failures,
        ),
        threshold: worthAMessage.percent,
      };

const throttles = (name: FunctionName, fn: IFunction, severity: Severity): AlarmRow => ({
  name: `${name}-throttles`,
  runbook: 'function-throttles',
  severity,
  periods: sustained,
  metric: fn.metricThrottles(summed),
  threshold: throttled,
  ...(severity === 'page' && { within: 'capacity' as const }),
});

/** @param concurrency the account's quota of concurrent executions in the region */
export function functionAlarms({ watched: { functions } }: AlarmInputs, concurrency: number): AlarmRow[] {
  return [
    ...watchedAlone.flatMap((name): AlarmRow[] => {
      const fn = functions[name];
      const severity = servesCallers(name) ? 'page' : 'ticket';
      return [
        {
          name: `${name}-errors`,
          runbook: 'function-errors',
          severity,
          periods: sustained,
          ...failures(name, fn),
          ...(severity === 'page' && { within: 'service-unavailable' as const }),
        },
        ...(waitedFor(name) ? [] : [throttles(name, fn, severity)]),
      ];
    }),
    {
      // Lambda drops an event that it cannot deliver in time, without informing the caller. A dropped scheduled run is
      // repeated, or detected by its own alarm.
      name: 'ws-worker-dropped',
      runbook: 'dropped-events',
      severity: 'ticket',
      periods: sustained,
      metric: functions['ws-worker'].metric('AsyncEventsDropped', summed),
      threshold: 1,
    },
    {
      name: 'account-concurrency',
      runbook: 'function-throttles',
      severity: 'page',
      within: 'capacity',
      // The metric covers the whole account, because its other functions use the same pool.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ClaimedAccountConcurrency',
        statistic: 'Maximum',
        period: Duration.minutes(1),
      }),
      threshold: Math.floor((concurrency * concurrencyPercent) / 100),
      periods: [3, 5],
    },
    {
      // The stream retains records for 24 hours. Older entries are archived only by `agentctl archive repair`.
      name: 'projection-age',
      runbook: 'projection-age',
      severity: 'page',
      periods: sustained,
      metric: functions.project.metric('IteratorAge', { period: fiveMinutes, statistic: 'Maximum' }),
      threshold: Duration.minutes(5).toMilliseconds(),
    },
    {
      name: 'notification-age',
      runbook: 'notification-age',
      severity: 'ticket',
      periods: sustained,
      metric: functions.notify.metric('IteratorAge', { period: fiveMinutes, statistic: 'Maximum' }),
      threshold: Duration.minutes(2).toMilliseconds(),
    },
  ];
}
