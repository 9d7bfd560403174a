/**
 * Alarms, grouped by how soon an operator must act. The rows are in `lib/alarms/`, by kind; every description names the
 * runbook heading with the remedy.
 */
import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { AlarmRow, CompositeName, Severity, WatchedResources } from './alarms/alarm.ts';
import { approvalAlarms } from './alarms/approvals.ts';
import { canaryAlarms } from './alarms/canary.ts';
import { copyAlarms } from './alarms/copies.ts';
import { evidenceAlarms } from './alarms/evidence.ts';
import { functionAlarms } from './alarms/functions.ts';
import { scheduleAlarms } from './alarms/schedules.ts';
import { storeAlarms } from './alarms/stores.ts';
import { surfaceAlarms } from './alarms/surfaces.ts';
import { trafficAlarms } from './alarms/traffic.ts';
import { gatewayMetrics } from './metrics.ts';
import type { GatewaySettings } from './settings.ts';

interface AlarmsProps {
  readonly settings: GatewaySettings;
  readonly watched: WatchedResources;
  /** Alarms from stacks that features add. */
  readonly added: readonly AlarmRow[];
  /**
   * Time within which 95 % of chat calls must end.
   * @default half of the default provider timeout
   */
  readonly chatLatency?: Duration;
}

/**
 * Treatment of missing data in a heartbeat alarm. An alarm starts without data and notifies when its state changes, so
 * `MISSING` is quiet until the first run, and reports any silence after it.
 */
const missing = { always: TreatMissingData.BREACHING, 'after-first': TreatMissingData.MISSING } as const;

const composites: readonly CompositeName[] = ['service-unavailable', 'capacity'];

export class Alarms extends Construct {
  /** Subscribe a pager to `page`, a mailbox or tracker to `ticket`. */
  readonly topics: Readonly<Record<Severity, Topic>>;
  /** All alarms, with composite alarms first. */
  readonly all: readonly AlarmBase[];
  readonly #settings: GatewaySettings;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { settings, watched, added, chatLatency = Duration.seconds(30) } = props;
    this.#settings = settings;
    this.topics = { page: this.#topic('Page'), ticket: this.#topic('Ticket') };
    const inputs = { watched, own: gatewayMetrics(settings.name) };
    const rows = [
      ...surfaceAlarms(inputs),
      ...functionAlarms(inputs, settings.accountConcurrency),
      ...scheduleAlarms(inputs),
      ...storeAlarms(settings),
      ...approvalAlarms(inputs),
      ...evidenceAlarms(inputs),
      ...added,
      ...trafficAlarms(inputs, chatLatency),
      ...(settings.canary ? canaryAlarms(inputs) : []),
      ...(settings.copies ? copyAlarms(settings.copies) : []),
    ];
    const made = rows.filter((row) => this.#understood(row)).map((row) => ({ row, alarm: this.#alarm(row) }));
    const alarmsOf = (name: CompositeName) => made.filter(({ row }) => row.within === name).map(({ alarm }) => alarm);
    const joined = settings.emulator ? [] : composites.map((name) => this.#composite(name, alarmsOf(name)));
    this.all = [...joined, ...made.map(({ alarm }) => alarm)];
  }

  /** Checks whether the emulator supports an alarm. It does not support expressions, queries or composite alarms. */
  #understood({ metric }: AlarmRow): boolean {
    return !this.#settings.emulator || !(metric instanceof MathExpression);
  }

  #topic(kind: 'Page' | 'Ticket'): Topic {
    const { name, httpsOnly } = this.#settings;
    const topic = new Topic(this, `${kind}Topic`, {
      displayName: `${name} alarms: ${kind.toLowerCase()}`,
      enforceSSL: httpsOnly,
    });
    // Any policy replaces the topic's default one, which lets the account's alarms publish.
    if (httpsOnly) topic.addToResourcePolicy(this.#publishing(topic));
    return topic;
  }

  #publishing({ topicArn }: Topic): PolicyStatement {
    const stack = Stack.of(this);
    const alarms = { service: 'cloudwatch', resource: 'alarm', resourceName: '*' };
    return new PolicyStatement({
      sid: 'AlarmsPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: { 'aws:SourceArn': stack.formatArn({ ...alarms, arnFormat: ArnFormat.COLON_RESOURCE_NAME }) },
      },
    });
  }

  #alarm({ name, metric, threshold, severity, runbook, periods = [1, 1], heartbeat, within }: AlarmRow): Alarm {
    const [datapointsToAlarm, evaluationPeriods] = periods;
    const alarm = new Alarm(this, name, {
      alarmDescription: describe(name, severity, runbook),
      metric,
      threshold,
      datapointsToAlarm,
      evaluationPeriods,
      comparisonOperator: heartbeat
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: heartbeat ? missing[heartbeat] : TreatMissingData.NOT_BREACHING,
    });
    const sends = !within || this.#settings.emulator;
    if (sends) alarm.addAlarmAction(new SnsAction(this.topics[severity]));
    // A pager closes its incident at this message. The end of an alarm on a single event means nothing, and a new alarm
    // without data would send one message to each tracker.
    if (sends && severity === 'page' && (evaluationPeriods > 1 || heartbeat))
      alarm.addOkAction(new SnsAction(this.topics.page));
    if (heartbeat === 'after-first') alarm.addInsufficientDataAction(new SnsAction(this.topics[severity]));
    return alarm;
  }

  #composite(name: CompositeName, parts: readonly Alarm[]): CompositeAlarm {
    const alarm = new CompositeAlarm(this, name, {
      // Otherwise the CDK generates a name that two deployments would share.
      compositeAlarmName: `${this.#settings.name}-${name}`,
      alarmDescription: describe(name, 'page', name),
      alarmRule: AlarmRule.anyOf(...parts),
    });
    alarm.addAlarmAction(new SnsAction(this.topics.page));
    alarm.addOkAction(new SnsAction(this.topics.page));
    return alarm;
  }
}

const describe = (name: string, severity: Severity, runbook: string): string =>
  `${name} (${severity}): see docs/how-to/runbook.md#${runbook}`;
