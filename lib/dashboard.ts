/** The operator's second dashboard, after the overview: requests and their cost, decisions, pending work, failures. */
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  SingleValueWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { ChatOutcome } from '#core/contracts/chat.ts';
import { decisions as decisionKinds } from '#core/contracts/envelope.ts';
import type { WatchedResources } from './alarms/alarm.ts';
import { gatewayMetrics } from './metrics.ts';
import type { GatewaySettings } from './settings.ts';

interface DashboardProps {
  readonly settings: GatewaySettings;
  readonly watched: WatchedResources;
}

const outcomes: readonly ChatOutcome[] = ['completed', 'cached', 'blocked', 'review', 'aborted', 'failed', 'refused'];
const percentiles = ['p50', 'p95', 'p99'];

export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { settings, watched }: DashboardProps) {
    super(scope, id);
    const own = gatewayMetrics(settings.name);
    const functions = Object.entries(watched.functions);
    const graph = (title: string, left: IMetric[], right: IMetric[] = []) =>
      new GraphWidget({ title, left, right, width: 12, height: 6 });

    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: settings.name,
      widgets: [
        [
          graph('Chat calls', outcomes.map(own.chatRequests)),
          graph('Tokens and cost', [own.chatTokens('input'), own.chatTokens('output')], [own.chatCostUsd]),
        ],
        [
          graph(
            'Milliseconds to the first token',
            percentiles.map((label) => own.firstTokenMs(label).with({ label })),
          ),
          graph(
            'Milliseconds of a chat call',
            percentiles.map((label) => own.chatLatencyMs(label).with({ label })),
          ),
        ],
        [
          graph('Provider errors', [own.providerErrors], [own.openBreakers.with({ label: 'open breakers' })]),
          graph('Cache hit rate', [own.cacheHitPercent]),
        ],
        [
          graph('Blocked calls', [own.chatRequests('blocked'), own.chatRequests('review')]),
          graph('Policy violations', [own.policyViolations]),
        ],
        [
          graph('Decisions', decisionKinds.map(own.decisions)),
          graph('Decisions by protocol', [own.decisionsByProtocol]),
        ],
        [
          graph(
            'Messages of MCP clients',
            [watched.apis.mcp.metricCount({ label: 'messages', statistic: 'Sum' })],
            percentiles.map((label) =>
              watched.functions.mcp.metricDuration({ label: `${label} (ms)`, statistic: label }),
            ),
          ),
          graph('Commands in the sandbox', [
            watched.functions.sandbox.metricInvocations({ label: 'commands' }),
            watched.functions.sandbox.metricErrors({ label: 'broken off' }),
            watched.functions.sandbox.metricThrottles({ label: 'no room' }),
          ]),
        ],
        [
          graph('Approvals waiting', [own.pendingApprovals], [own.oldestApprovalSeconds.with({ label: 'oldest (s)' })]),
          graph('Seconds until a human decided', ['p50', 'p90', 'p99'].map(own.approvalLatency)),
        ],
        [
          graph('Approval clock', [
            watched.stateMachine.metricStarted({ statistic: 'Sum' }),
            watched.stateMachine.metricSucceeded({ statistic: 'Sum' }),
            watched.stateMachine.metricFailed({ statistic: 'Sum' }),
          ]),
          new SingleValueWidget({
            title: 'Dead letters',
            metrics: [watched.deadLetters.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum' })],
            width: 12,
            height: 6,
          }),
        ],
        [
          graph(
            'Errors',
            functions.map(([label, fn]) => fn.metricErrors({ label })),
          ),
          graph(
            'Throttles',
            functions.map(([label, fn]) => fn.metricThrottles({ label })),
          ),
        ],
        [
          graph(
            'Answers of the surfaces',
            Object.entries(watched.apis).flatMap(([name, api]) => [
              api.metricServerError({ label: `${name} 5xx`, statistic: 'Sum' }),
              api.metricClientError({ label: `${name} 4xx`, statistic: 'Sum' }),
            ]),
          ),
          graph('Risk alerts', [own.riskAlerts]),
        ],
        [graph('Credentials issued and refused', [own.credentialsByBroker])],
      ],
    });
  }
}
