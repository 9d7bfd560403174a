/** Alarms on traffic: providers, credentials, budgets, latency, and sessions whose risk has risen. */
import type { Duration } from 'aws-cdk-lib';
import { budgetTiers } from '../metrics.ts';
import { type AlarmInputs, type AlarmRow, fiveMinutes, sustained } from './alarm.ts';

/** Failed attempts per five minutes. Retries absorb isolated failures. */
const providerErrors = 10;
/** Allowed actions per five minutes that got no credential. A single one may be the action's own fault. */
const credentialRefusals = 5;
/** Requests per five minutes with an unknown key or token. The local alert counts 30 per minute. */
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
  // The causes of the gateway's own alerts, such as traffic that deviates from its baseline, have no other metric.
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
