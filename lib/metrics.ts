/** The gateway's own metrics, as its functions write them in embedded metric format. */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Decision } from '#core/contracts/envelope.ts';

const metricNamespace = 'AgentGovernance';

const minute = Duration.minutes(1);
const metric = (metricName: string, statistic: string, dimensionsMap: Record<string, string> = {}): Metric =>
  new Metric({ namespace: metricNamespace, metricName, statistic, period: minute, dimensionsMap });

export const pendingApprovals = metric('svc_approvals_pending', 'Maximum');
export const oldestApprovalSeconds = metric('svc_approval_oldest_seconds', 'Maximum');
export const approvalLatency = (statistic: string): Metric =>
  metric('svc_approval_latency_seconds', statistic).with({ label: statistic });

/** Decisions of one kind over all protocols, also those nobody foresaw. */
export const decisions = (decision: Decision): MathExpression =>
  new MathExpression({
    label: decision,
    period: minute,
    expression: `SUM(SEARCH('{${metricNamespace},decision,protocol} MetricName="svc_policy_decisions_total" decision="${decision}"', 'Sum', 60))`,
  });
