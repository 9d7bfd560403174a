/** Alarms on approvals whose reviewers are not notified, or whose clock does not run. */
import { Duration } from 'aws-cdk-lib';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { type AlarmInputs, type AlarmRow, fiveMinutes, summed, sustained } from './alarm.ts';

/** Throttled starts per five minutes. The sweep retries them. */
const throttled = 3;
/** Messages abandoned per five minutes, each after eight attempts. Even one means that a channel is down. */
const deadDeliveries = 1;

/**
 * Time after the deadline of a pending request. The clock denies it at once and the sweep within a minute, so a request
 * that is still pending cannot be denied. How long a request may wait is a setting of each tenant.
 */
const overdue = Duration.minutes(10);

export const approvalAlarms = ({
  watched: { stateMachine, rolloutMachine, deadLetters },
  own,
}: AlarmInputs): AlarmRow[] => [
  // Each may be an approved call that is never made, or a rollout that is never judged, so the alarm is raised at the
  // first one.
  ...endings('approvals', stateMachine, 'approval-clock'),
  // The sweep also advances rollouts, so one alarm is enough.
  ...endings('rollouts', rolloutMachine, 'rollout-clock').slice(0, 1),
  {
    name: 'approvals-throttled',
    runbook: 'approval-clock',
    severity: 'ticket',
    periods: sustained,
    metric: stateMachine.metricThrottled(summed),
    threshold: throttled,
  },
  {
    name: 'approval-overdue',
    runbook: 'approval-overdue',
    severity: 'page',
    periods: [3, 3],
    metric: own.overdueApprovalSeconds,
    threshold: overdue.toSeconds(),
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

const endings = (name: string, machine: IStateMachine, runbook: string): AlarmRow[] =>
  (
    [
      ['failed', machine.metricFailed(summed)],
      ['aborted', machine.metricAborted(summed)],
      ['timed-out', machine.metricTimedOut(summed)],
    ] as const
  ).map(([how, metric]) => ({ name: `${name}-${how}`, runbook, severity: 'ticket', metric, threshold: 1 }));
