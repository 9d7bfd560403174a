/** Alarms on the canary's failed and missing rounds [watch.alarms]. */
import { Duration } from 'aws-cdk-lib';
import { type AlarmInputs, type AlarmRow, fiveMinutes } from './alarm.ts';

export const canaryAlarms = ({ own }: AlarmInputs): AlarmRow[] => [
  {
    name: 'canary-failed',
    runbook: 'canary',
    severity: 'page',
    within: 'service-unavailable',
    metric: own.canaryRounds('failed').with({ period: fiveMinutes }),
    threshold: 3,
  },
  {
    name: 'canary-missing',
    runbook: 'canary',
    severity: 'page',
    // The canary's keys are stored after the deployment.
    heartbeat: 'after-first',
    metric: own.canaryRounds('passed').with({ period: Duration.minutes(10) }),
    threshold: 1,
  },
];
