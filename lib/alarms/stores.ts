/** Alarms on tables that refuse requests or fail. */
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { tables } from '#features/tables.ts';
import type { GatewaySettings } from '../settings.ts';
import { type AlarmRow, fiveMinutes, sustained } from './alarm.ts';

/** Requests per five minutes. The SDK retries a few on its own. */
const worthALook = { ThrottledRequests: 20, SystemErrors: 5 };

/**
 * Returns the sum over all operations and indexes, because neither metric exists without an operation label.
 * @param table default: all tables in the account
 */
const summedOver = (metric: keyof typeof worthALook, table?: string): MathExpression =>
  new MathExpression({
    label: `${metric} of ${table ?? 'all tables'}`,
    period: fiveMinutes,
    expression: `SELECT SUM(${metric}) FROM "AWS/DynamoDB"${table ? ` WHERE TableName = '${table}'` : ''}`,
  });

export const storeAlarms = ({ name }: GatewaySettings): AlarmRow[] => [
  ...Object.keys(tables).map(
    (table): AlarmRow => ({
      name: `${table}-table-throttles`,
      runbook: 'table-throttles',
      severity: 'ticket',
      periods: sustained,
      metric: summedOver('ThrottledRequests', `${name}-${table}`),
      threshold: worthALook.ThrottledRequests,
    }),
  ),
  {
    // A fault in DynamoDB itself does not concern a single table, and an alarm is billed by the metrics it reads.
    name: 'table-errors',
    runbook: 'table-errors',
    severity: 'ticket',
    periods: sustained,
    metric: summedOver('SystemErrors'),
    threshold: worthALook.SystemErrors,
  },
];
