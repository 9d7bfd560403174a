/** Alarms on the streaming plane: whether its tasks exist and respond, and whether they have spare CPU time. */
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { HttpCodeElb, HttpCodeTarget } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { type AlarmRow, failedPercent, fiveMinutes, summed, sustained } from '../../../lib/alarms/alarm.ts';
import type { StreamingBalancer } from './load-balancer.ts';
import type { StreamingService } from './service.ts';

const worthAMessage = { percent: 5, failures: 3 };
/** The plane adds tasks at 60 % CPU. Above this value, either the service is at its maximum size or new tasks fail to start. */
const busyPercent = 85;

export function streamingAlarms({ targets, service }: StreamingService, { balancer }: StreamingBalancer): AlarmRow[] {
  const failed = new MathExpression({
    period: fiveMinutes,
    // Neither metric has data while it is zero.
    expression: 'FILL(answered, 0) + FILL(unanswered, 0)',
    usingMetrics: {
      answered: targets.metrics.httpCodeTarget(HttpCodeTarget.TARGET_5XX_COUNT, summed),
      // The load balancer answers for a task that crashes or stays silent during a call.
      unanswered: balancer.metrics.httpCodeElb(HttpCodeElb.ELB_5XX_COUNT, summed),
    },
  });
  return [
    {
      name: 'streaming-5xx',
      runbook: 'streaming-plane',
      severity: 'page',
      periods: sustained,
      metric: failedPercent('5xx (%)', failed, targets.metrics.requestCount(summed), worthAMessage.failures),
      threshold: worthAMessage.percent,
      within: 'service-unavailable',
    },
    {
      name: 'streaming-no-task',
      runbook: 'streaming-plane',
      severity: 'page',
      heartbeat: 'always',
      metric: targets.metrics.healthyHostCount({ period: fiveMinutes, statistic: 'Maximum' }),
      threshold: 1,
      within: 'service-unavailable',
    },
    {
      name: 'streaming-busy',
      runbook: 'streaming-plane',
      severity: 'ticket',
      periods: sustained,
      metric: service.metricCpuUtilization({ period: fiveMinutes }),
      threshold: busyPercent,
    },
  ];
}
