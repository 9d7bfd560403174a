/** Alarms on the percentage of failed responses from the HTTP surfaces and the WebSocket. */
import { type AlarmInputs, type AlarmRow, failedPercent, summed, sustained } from './alarm.ts';

const worthAMessage = { percent: 5, failures: 3 };

export const surfaceAlarms = ({ watched: { apis, iam, webSocket } }: AlarmInputs): AlarmRow[] => [
  // Each raises a page: agents wait for actions and people for votes, on either API that accepts them.
  ...Object.entries({ ...apis, ...(iam && { iam }) }).map(
    ([name, api]): AlarmRow => ({
      name: `${name}-5xx`,
      runbook: 'surface-5xx',
      severity: 'page',
      periods: sustained,
      metric: failedPercent('5xx (%)', api.metricServerError(summed), api.metricCount(summed), worthAMessage.failures),
      threshold: worthAMessage.percent,
      within: 'service-unavailable',
    }),
  ),
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
