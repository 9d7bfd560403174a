/**
 * Service objectives, each as a percentage of good events [watch.objectives]. The overview shows them; the alarms do
 * not use them.
 */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Watched } from './alarms/alarm.ts';
import type { GatewayMetrics } from './metrics.ts';

interface Objective {
  readonly title: string;
  /** The promised share, in percent. */
  readonly percent: number;
  readonly good: IMetric;
}

const period = Duration.minutes(5);
const chatSeconds = 30;
const firstTokenSeconds = 5;
const deliverySeconds = 30;
const lagSeconds = 60;

/** @returns the five objectives, in the order of the overview */
export const objectives = ({ apis, functions }: Watched, own: GatewayMetrics): readonly Objective[] => [
  {
    title: 'Availability: answers of chat, actions and MCP without a 5xx',
    percent: 99.9,
    good: new MathExpression({
      label: 'good (%)',
      period,
      expression: '100 - 100 * (FILL(g5, 0) + FILL(m5, 0)) / (FILL(g, 0) + FILL(m, 0))',
      usingMetrics: {
        g5: apis.gateway.metricServerError({ period, statistic: 'Sum' }),
        m5: apis.mcp.metricServerError({ period, statistic: 'Sum' }),
        g: apis.gateway.metricCount({ period, statistic: 'Sum' }),
        m: apis.mcp.metricCount({ period, statistic: 'Sum' }),
      },
    }),
  },
  {
    title: `Latency: chat calls that ended within ${chatSeconds} s`,
    percent: 95,
    good: own.chatLatencyMs(Stats.percentileRank(0, chatSeconds * 1_000)).with({ period, label: 'good (%)' }),
  },
  {
    title: `First token: streams that began within ${firstTokenSeconds} s`,
    percent: 95,
    good: own.firstTokenMs(Stats.percentileRank(0, firstTokenSeconds * 1_000)).with({ period, label: 'good (%)' }),
  },
  {
    title: `Approval delivery: requests that a channel took within ${deliverySeconds} s`,
    percent: 99,
    good: own.deliveryDelaySeconds(Stats.percentileRank(0, deliverySeconds)).with({ period, label: 'good (%)' }),
  },
  {
    title: `Evidence lag: batches archived within ${lagSeconds} s`,
    percent: 99,
    good: functions.project.metric('IteratorAge', {
      period,
      label: 'good (%)',
      statistic: Stats.percentileRank(0, lagSeconds * 1_000),
    }),
  },
];
