/** What calls come to: providers, credentials, budgets, latency, sessions whose risk rose. */
import type { Duration } from 'aws-cdk-lib';
import { budgetTiers } from '../metrics.ts';
import { type AlarmInputs, type AlarmRow, fiveMinutes, sustained } from './alarm.ts';

/** Failed attempts in five minutes: retries are for single ones. */
const providerErrors = 10;
/** Actions in five minutes that were allowed and got no credential: one may be the action's own fault. */
const credentialRefusals = 5;
/** Requests in five minutes whose key or token is not known: the local alert counts 30 a minute. */
const rejectedCredentials = 150;

export const trafficAlarms = ({ own }: AlarmInputs, chatLatency: Duration): AlarmRow[] => [
  {
    name: 'provider-errors',
    runbook: 'provider-errors',
    severity: 'ticket',
    periods: sustained,
    metric: own.allProviderErrors(fiveMinutes),
    threshold: providerErrors,
  },
  {
    name: 'breaker-open',
    runbook: 'breaker-open',
    severity: 'ticket',
    metric: own.openBreakers,
    threshold: 1,
  },
  {
    name: 'credential-refusals',
    runbook: 'credential-refusals',
    severity: 'ticket',
    periods: sustained,
    metric: own.allCredentialRefusals(fiveMinutes),
    threshold: credentialRefusals,
  },
  {
    name: 'rejected-credentials',
    runbook: 'rejected-credentials',
    severity: 'ticket',
    metric: own.allRejectedCredentials(fiveMinutes),
    threshold: rejectedCredentials,
  },
  {
    name: 'risk-alerts',
    runbook: 'risk-alerts',
    severity: 'ticket',
    metric: own.allRiskAlerts(fiveMinutes),
    threshold: 1,
  },
  // What the gateway itself opens alerts for, a baseline that traffic left among it, has no other metric.
  {
    name: 'alerts-critical',
    runbook: 'alerts-opened',
    severity: 'page',
    metric: own.allAlerts('critical', fiveMinutes),
    threshold: 1,
  },
  {
    name: 'alerts-warning',
    runbook: 'alerts-opened',
    severity: 'ticket',
    metric: own.allAlerts('warning', fiveMinutes),
    threshold: 1,
  },
  ...budgetTiers.map(
    (tier): AlarmRow => ({
      name: `budget-${tier}`,
      runbook: 'budget-tier',
      severity: 'ticket',
      metric: own.budgetTier(tier).with({ period: fiveMinutes }),
      threshold: 1,
    }),
  ),
  {
    name: 'chat-latency',
    runbook: 'chat-latency',
    severity: 'ticket',
    periods: [3, 3],
    metric: own.chatLatencyMs('p95').with({ period: fiveMinutes }),
    threshold: chatLatency.toMilliseconds(),
  },
];
