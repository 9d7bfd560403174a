/** What wakes a person. Every description names the page of the runbook that says what to do. */
import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { FunctionName } from '#core/contracts/functions.ts';
import type { Route } from '#core/contracts/routes.ts';
import { budgetTiers, gatewayMetrics } from './metrics.ts';
import type { GatewaySettings } from './settings.ts';

/** Everything that is watched. */
export interface Watched {
  readonly functions: Readonly<Record<FunctionName, IFunction>>;
  readonly apis: Readonly<Record<Route['surface'], RestApi>>;
  readonly webSocket: WebSocketApi;
  readonly stateMachine: StateMachine;
  readonly deadLetters: IQueue;
}

export interface AlarmsProps {
  readonly settings: GatewaySettings;
  readonly watched: Watched;
  /**
   * Age at which a pending approval is worth a call.
   * @default twice the default time-out of approvals: by then the clock or the sweep has failed
   */
  readonly approvalAge?: Duration;
  /**
   * 95 of 100 chat calls end within it, or somebody looks.
   * @default half of what a provider is given unless its entry says otherwise
   */
  readonly chatLatency?: Duration;
}

interface AlarmSpec {
  readonly metric: IMetric;
  readonly threshold: number;
  /** Heading in `docs/how-to/runbook.md`. */
  readonly runbook: string;
  /** @default 1 */
  readonly evaluationPeriods?: number;
}

const period = Duration.minutes(5);
const fiveMinutes = { period, statistic: 'Sum' };

/** One failed attempt is what retries are for. */
const providerErrorsWorthACall = 10;
/** One refused action may be the action's fault. */
const credentialRefusalsWorthACall = 5;

export class Alarms extends Construct {
  /** Subscribe a mailbox, a chat or a pager here. */
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { settings, watched, approvalAge = Duration.hours(1), chatLatency = Duration.seconds(30) } = props;
    this.topic = new Topic(this, 'Topic', { displayName: `${settings.name} alarms`, enforceSSL: settings.httpsOnly });
    const { functions, apis, webSocket, stateMachine, deadLetters } = watched;
    const own = gatewayMetrics(settings.name);

    for (const [name, fn] of Object.entries(functions)) {
      this.alarm(`${name}-errors`, { metric: fn.metricErrors(fiveMinutes), threshold: 1, runbook: 'function-errors' });
      this.alarm(`${name}-throttles`, {
        metric: fn.metricThrottles(fiveMinutes),
        threshold: 1,
        runbook: 'function-throttles',
      });
    }
    for (const [name, api] of Object.entries(apis)) {
      this.alarm(`${name}-5xx`, { metric: api.metricServerError(fiveMinutes), threshold: 1, runbook: 'surface-5xx' });
    }
    this.alarm('websocket-errors', {
      metric: webSocket.metric('ExecutionError', fiveMinutes),
      threshold: 1,
      runbook: 'surface-5xx',
    });
    // The emulator takes no alarm on a query, and there is no other way to count over labels nobody foresaw.
    if (!settings.emulator) {
      this.alarm('provider-errors', {
        metric: own.allProviderErrors(period),
        threshold: providerErrorsWorthACall,
        runbook: 'provider-errors',
      });
      this.alarm('credential-refusals', {
        metric: own.allCredentialRefusals(period),
        threshold: credentialRefusalsWorthACall,
        runbook: 'credential-refusals',
      });
      this.alarm('risk-alerts', { metric: own.allRiskAlerts(period), threshold: 1, runbook: 'risk-alerts' });
    }
    this.alarm('breaker-open', { metric: own.openBreakers, threshold: 1, runbook: 'breaker-open' });
    for (const tier of budgetTiers)
      this.alarm(`budget-${tier}`, {
        metric: own.budgetTier(tier).with({ period }),
        threshold: 1,
        runbook: 'budget-tier',
      });
    this.alarm('chat-latency', {
      metric: own.chatLatencyMs('p95').with({ period }),
      threshold: chatLatency.toMilliseconds(),
      runbook: 'chat-latency',
      evaluationPeriods: 3,
    });
    this.alarm('approvals-failed', {
      metric: stateMachine.metricFailed(fiveMinutes),
      threshold: 1,
      runbook: 'approval-clock',
    });
    this.alarm('approvals-aborted', {
      metric: stateMachine.metricAborted(fiveMinutes),
      threshold: 1,
      runbook: 'approval-clock',
    });
    this.alarm('approvals-throttled', {
      metric: stateMachine.metricThrottled(fiveMinutes),
      threshold: 1,
      runbook: 'approval-clock',
    });
    this.alarm('dead-letters', {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(5),
        statistic: 'Maximum',
      }),
      threshold: 1,
      runbook: 'dead-letters',
    });
    // The stream keeps 24 hours: what is older is archived by `agentctl archive repair` alone.
    this.alarm('projection-age', {
      metric: functions.project.metric('IteratorAge', { period, statistic: 'Maximum' }),
      threshold: Duration.minutes(5).toMilliseconds(),
      runbook: 'projection-age',
    });
    for (const [name, metric] of [
      ['archive-missing', own.missingArchiveEntries],
      ['archive-contradictions', own.archiveContradictions],
    ] as const)
      this.alarm(name, { metric, threshold: 1, runbook: 'archive-missing' });
    this.alarm('approval-age', {
      metric: own.oldestApprovalSeconds,
      threshold: approvalAge.toSeconds(),
      runbook: 'approval-age',
      evaluationPeriods: 3,
    });
  }

  private alarm(name: string, { metric, threshold, runbook, evaluationPeriods = 1 }: AlarmSpec): void {
    const alarm = new Alarm(this, name, {
      alarmDescription: `${name}: see docs/how-to/runbook.md#${runbook}`,
      metric,
      threshold,
      evaluationPeriods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
  }
}
