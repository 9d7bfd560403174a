/** The gateway's own metrics, written by its functions in embedded metric format. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlertSeverity } from '#core/contracts/alert.ts';
import type { ChatOutcome } from '#core/contracts/chat.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import type { ScheduledFunction } from '#core/contracts/functions.ts';

const namespace = 'AgentGovernance';
const minute = Duration.minutes(1);

export const budgetTiers = ['alert', 'warning', 'exhausted'] as const;
type BudgetTier = (typeof budgetTiers)[number];

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>;

/**
 * @param deployment the deployment's name: two deployments in one region share the namespace but not the series
 * [cloud.name]
 */
export function gatewayMetrics(deployment: string) {
  const metric = (metricName: string, statistic: string, labels: Record<string, string> = {}): Metric =>
    new Metric({ namespace, metricName, statistic, period: minute, dimensionsMap: { deployment, ...labels } });

  const pendingApprovals = metric('svc_approvals_pending', 'Maximum');
  const oldestApprovalSeconds = metric('svc_approval_oldest_seconds', 'Maximum');
  const overdueApprovalSeconds = metric('svc_approval_overdue_seconds', 'Maximum');
  /** Metric that is published once per day, so its period is a day. */
  const missingArchiveEntries = metric('svc_archive_missing_entries', 'Maximum').with({ period: Duration.days(1) });
  const approvalLatency = (statistic: string): Metric =>
    metric('svc_approval_latency_seconds', statistic).with({ label: statistic });

  /** Returns the number of decisions of one kind across all protocols, including future ones. */
  const decisions = (decision: Decision): MathExpression =>
    new MathExpression({
      label: decision,
      period: minute,
      expression: `SUM(SEARCH('{${namespace},decision,deployment,protocol} MetricName="svc_policy_decisions_total" deployment="${deployment}" decision="${decision}"', 'Sum', 60))`,
    });

  /** Returns one series per combination of label values, including those of providers added later. */
  const bySeries = (metricName: string, ...labels: readonly string[]): MathExpression =>
    new MathExpression({
      // The legend shows the labels of a series instead of the whole search.
      label: labels.map((label) => `\${PROP('Dim.${label}')}`).join(' '),
      period: minute,
      expression: `SEARCH('Namespace="${namespace}" MetricName="${metricName}" deployment="${deployment}"', 'Sum', 60)`,
    });

  /** Returns the sum over the series with these labels, regardless of their other labels. */
  const total = (metricName: string, labels: Readonly<Record<string, string>> = {}): MathExpression => {
    const terms = Object.entries({ Namespace: namespace, MetricName: metricName, deployment, ...labels });
    const query = terms.map(([name, value]) => `${name}="${value}"`).join(' ');
    return new MathExpression({ period: minute, expression: `SUM(SEARCH('${query}', 'Sum', 60))` });
  };

  const labelled = (label: string, counted: MathExpression): MathExpression => counted.with({ label });

  const chatRequests = (outcome: ChatOutcome): MathExpression =>
    labelled(outcome, total('svc_chat_requests_total', { outcome }));

  const chatTokens = (direction: 'input' | 'output'): MathExpression =>
    labelled(direction, total('svc_chat_tokens_total', { direction }));

  const chatCostUsd: IMetric = new MathExpression({
    label: 'USD',
    period: minute,
    expression: 'micro / 1000000',
    usingMetrics: { micro: total('svc_chat_cost_microusd_total') },
  });

  const chatLatencyMs = (statistic: string): Metric => metric('svc_chat_latency_ms', statistic);
  const firstTokenMs = (statistic: string): Metric => metric('svc_first_token_ms', statistic);

  /** Percentage of successful calls with a cache lookup that were served from the cache. */
  const cacheHitPercent: IMetric = new MathExpression({
    label: 'hit rate (%)',
    period: minute,
    expression: '100 * FILL(cached, 0) / (FILL(cached, 0) + FILL(completed, 0))',
    usingMetrics: { cached: chatRequests('cached'), completed: chatRequests('completed') },
  });

  const providerErrors = bySeries('svc_provider_errors_total', 'provider');
  /** One series per pair of decision and protocol that has occurred. */
  const decisionsByProtocol = bySeries('svc_policy_decisions_total', 'protocol', 'decision');
  const policyViolations = bySeries('svc_policy_violations_total', 'policy', 'action');
  const riskAlerts = bySeries('svc_risk_alerts_total', 'rule');
  /** One series per pair of broker and outcome that has occurred. */
  const credentialsByBroker = bySeries('svc_credentials_total', 'broker', 'outcome');
  const openBreakers = metric('svc_breaker_open', 'Maximum');
  const budgetTier = (tier: BudgetTier): Metric => metric('svc_budget_tier_total', 'Sum', { tier });

  /** Returns a counter as one total over all its labels. An alarm accepts a query but not a search. */
  const overall = (label: string, metricName: string, period: Duration, where = ''): MathExpression =>
    new MathExpression({
      label,
      period,
      expression: `SELECT SUM(${metricName}) FROM "${namespace}" WHERE deployment = '${deployment}'${where}`,
    });

  const allProviderErrors = (period: Duration) => overall('provider errors', 'svc_provider_errors_total', period);
  const allCredentialRefusals = (period: Duration) =>
    overall('credentials refused', 'svc_credentials_total', period, " AND outcome = 'refused'");
  const allRejectedCredentials = (period: Duration) =>
    overall('unknown credentials', 'svc_credentials_rejected_total', period);
  /** Returns the number of alerts with a severity that opened or escalated. A query supports only `=`, `!=` and AND. */
  const allAlerts = (severity: AlertSeverity, period: Duration) => {
    const where = ` AND severity = '${severity}' AND change != 'acknowledged' AND change != 'resolved'`;
    return overall(`${severity} alerts`, 'svc_alerts_total', period, where);
  };
  const allRiskAlerts = (period: Duration) => overall('risk alerts', 'svc_risk_alerts_total', period);

  const deadDeliveries = metric('svc_deliveries_dead_total', 'Sum');
  const deliveryDelaySeconds = (statistic: string): Metric => metric('svc_delivery_delay_seconds', statistic);
  /** Returns the number of completed runs of a schedule. */
  const scheduleCompleted = (schedule: ScheduledFunction): Metric =>
    metric('svc_schedule_completed_total', 'Sum', { schedule });
  const guardsDisabled = metric('svc_guards_disabled', 'Maximum');
  const chainsContradicted = metric('svc_chains_contradicted_total', 'Sum');
  const unprovenApprovals = metric('svc_approvals_unproven_total', 'Sum');

  const canaryRounds = (outcome: 'passed' | 'failed'): Metric => metric('svc_canary_rounds_total', 'Sum', { outcome });
  const planeActiveCalls = metric('svc_plane_active_calls', 'Average');

  return {
    canaryRounds,
    planeActiveCalls,
    deadDeliveries,
    deliveryDelaySeconds,
    scheduleCompleted,
    guardsDisabled,
    chainsContradicted,
    unprovenApprovals,
    pendingApprovals,
    oldestApprovalSeconds,
    overdueApprovalSeconds,
    missingArchiveEntries,
    approvalLatency,
    decisions,
    chatRequests,
    chatTokens,
    chatCostUsd,
    chatLatencyMs,
    firstTokenMs,
    cacheHitPercent,
    providerErrors,
    decisionsByProtocol,
    policyViolations,
    riskAlerts,
    credentialsByBroker,
    openBreakers,
    budgetTier,
    allProviderErrors,
    allCredentialRefusals,
    allRejectedCredentials,
    allAlerts,
    allRiskAlerts,
  };
}
