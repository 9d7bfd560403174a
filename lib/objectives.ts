/**
 * Service objectives, each as a percentage of good events [watch.runbook]. The overview shows them; the alarms do
 * not use them.
 */
import { Duration } from 'aws-cdk-lib';
import type { RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { WatchedResources } from './alarms/alarm.ts';
import type { GatewayMetrics } from './metrics.ts';

interface Objective {
  readonly title: string;
  /** Promised percentage. */
  readonly percent: number;
  readonly good: IMetric;
}

const period = Duration.minutes(5);
const chatSeconds = 30;
const firstTokenSeconds = 5;
const deliverySeconds = 30;
const lagSeconds = 60;

/**
 * Returns the percentage of responses other than 5xx across all APIs, because each of them handles actions, votes or
 * chats.
 */
const answeredPercent = (apis: readonly RestApiBase[]): IMetric => {
  const sum = (letter: string) => `(${apis.map((_, at) => `FILL(${letter}${at}, 0)`).join(' + ')})`;
  const metrics = apis.flatMap((api, at): [string, IMetric][] => [
    [`f${at}`, api.metricServerError({ period, statistic: 'Sum' })],
    [`n${at}`, api.metricCount({ period, statistic: 'Sum' })],
  ]);
  return new MathExpression({
    label: 'good (%)',
    period,
    expression: `100 - 100 * ${sum('f')} / ${sum('n')}`,
    usingMetrics: Object.fromEntries(metrics),
  });
};

/** @returns the five objectives, in the overview's order */
export const objectives = ({ apis, iam, functions }: WatchedResources, own: GatewayMetrics): readonly Objective[] => [
  {
    title: 'Availability: answers of chat, actions, votes and MCP without a 5xx',
    percent: 99.9,
    good: answeredPercent([...Object.values(apis), ...(iam ? [iam] : [])]),
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
