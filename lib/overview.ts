/** The operator's first dashboard: each objective as a percentage of good events, and every raised alarm. */
import {
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IAlarm,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { WatchedResources } from './alarms/alarm.ts';
import { gatewayMetrics } from './metrics.ts';
import { objectives } from './objectives.ts';
import type { GatewaySettings } from './settings.ts';

interface OverviewProps {
  readonly settings: GatewaySettings;
  readonly watched: WatchedResources;
  /** The displayed alarms. */
  readonly alarms: readonly IAlarm[];
}

/** Maximum number of alarms in an alarm status widget. */
const alarmsPerWidget = 100;

export class Overview extends Construct {
  constructor(scope: Construct, id: string, { settings, watched, alarms }: OverviewProps) {
    super(scope, id);
    const promised = objectives(watched, gatewayMetrics(settings.name));
    new CloudWatchDashboard(this, 'Dashboard', {
      dashboardName: `${settings.name}-overview`,
      widgets: [
        [
          new TextWidget({
            markdown: `Objectives of ${settings.name}. Details: dashboard \`${settings.name}\`; what to do: docs/how-to/runbook.md.`,
            width: 24,
            height: 1,
          }),
        ],
        promised.map(
          ({ title, good }) =>
            new SingleValueWidget({
              title: title.split(':')[0]!,
              metrics: [good],
              setPeriodToTimeRange: true,
              width: 4,
              height: 4,
            }),
        ),
        ...chunks(
          promised.map(
            ({ title, percent, good }) =>
              new GraphWidget({
                title,
                left: [good],
                width: 12,
                height: 6,
                leftYAxis: { max: 100, showUnits: false },
                leftAnnotations: [{ value: percent, label: `objective: ${percent} %` }],
              }),
          ),
          2,
        ),
        ...chunks(alarms, alarmsPerWidget).map((shown) => [
          new AlarmStatusWidget({ title: 'Alarms', alarms: shown, width: 24, height: 8 }),
        ]),
      ],
    });
  }
}

const chunks = <T>(items: readonly T[], length: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, at) => items.slice(length * at, length * (at + 1)));
