/** Alarms on approvals whose reviewers are not notified, or whose clock does not run. */
import type { Duration } from 'aws-cdk-lib';
import { type AlarmInputs, type AlarmRow, fiveMinutes, summed, sustained } from './alarm.ts';

/** Executions per five minutes: the sweep continues those that ended early. */
const endedEarly = 3;
/** Messages per five minutes that were given up after eight attempts each: a channel is down. */
const deadDeliveries = 1;

export const approvalAlarms = (
  { watched: { stateMachine, deadLetters }, own }: AlarmInputs,
  approvalAge: Duration,
): AlarmRow[] => [
  ...(
    [
      ['failed', stateMachine.metricFailed(summed)],
      ['aborted', stateMachine.metricAborted(summed)],
      ['timed-out', stateMachine.metricTimedOut(summed)],
      ['throttled', stateMachine.metricThrottled(summed)],
    ] as const
  ).map(
    ([how, metric]): AlarmRow => ({
      name: `approvals-${how}`,
      runbook: 'approval-clock',
      severity: 'ticket',
      periods: sustained,
      metric,
      threshold: endedEarly,
    }),
  ),
  {
    name: 'approval-age',
    runbook: 'approval-age',
    severity: 'page',
    periods: [3, 3],
    metric: own.oldestApprovalSeconds,
    threshold: approvalAge.toSeconds(),
  },
  {
    name: 'deliveries-dead',
    runbook: 'dead-deliveries',
    severity: 'page',
    metric: own.deadDeliveries.with({ period: fiveMinutes }),
    threshold: deadDeliveries,
  },
  {
    name: 'dead-letters',
    runbook: 'dead-letters',
    severity: 'ticket',
    periods: sustained,
    metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes, statistic: 'Maximum' }),
    threshold: 1,
  },
];
