/** Alarms on the share of failed answers of the HTTP surfaces and the WebSocket. */
import type { Route } from '#core/contracts/route.ts';
import { type AlarmInputs, type AlarmRow, failedPercent, summed, sustained } from './alarm.ts';

const worthAMessage = { percent: 5, failures: 3 };

/** Returns the severity. Only people wait for answers of the admin surface. */
const severityOf = (surface: Route['surface'] | 'iam') => (surface === 'admin' ? 'ticket' : 'page');

export const surfaceAlarms = ({ watched: { apis, iam, webSocket } }: AlarmInputs): AlarmRow[] => [
  ...Object.entries({ ...apis, ...(iam && { iam }) }).map(([name, api]): AlarmRow => {
    const severity = severityOf(name as keyof typeof apis | 'iam');
    return {
      name: `${name}-5xx`,
      runbook: 'surface-5xx',
      severity,
      periods: sustained,
      metric: failedPercent('5xx (%)', api.metricServerError(summed), api.metricCount(summed), worthAMessage.failures),
      threshold: worthAMessage.percent,
      ...(severity === 'page' && { within: 'service-unavailable' as const }),
    };
  }),
  {
    name: 'websocket-errors',
    runbook: 'surface-5xx',
    severity: 'page',
    periods: sustained,
    metric: failedPercent(
      'messages that failed (%)',
      webSocket.metric('ExecutionError', summed),
      webSocket.metric('MessageCount', summed),
      worthAMessage.failures,
    ),
    threshold: worthAMessage.percent,
    within: 'service-unavailable',
  },
];
