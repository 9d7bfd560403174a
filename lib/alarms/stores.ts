/** Alarms on tables that refuse requests, or fail. */
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { tables } from '#core/contracts/tables.ts';
import type { GatewaySettings } from '../settings.ts';
import { type AlarmRow, fiveMinutes, sustained } from './alarm.ts';

/** Requests per five minutes: the SDK repeats a few by itself. */
const worthALook = { ThrottledRequests: 20, SystemErrors: 5 };

/**
 * Returns one number over all operations and indexes of a table: neither metric exists without a label for the
 * operation.
 */
const ofTable = (metric: keyof typeof worthALook, table: string): MathExpression =>
  new MathExpression({
    label: `${metric} of ${table}`,
    period: fiveMinutes,
    expression: `SELECT SUM(${metric}) FROM "AWS/DynamoDB" WHERE TableName = '${table}'`,
  });

export const storeAlarms = ({ name }: GatewaySettings): AlarmRow[] =>
  Object.keys(tables).flatMap((table): AlarmRow[] => [
    {
      name: `${table}-table-throttles`,
      runbook: 'table-throttles',
      severity: 'ticket',
      periods: sustained,
      metric: ofTable('ThrottledRequests', `${name}-${table}`),
      threshold: worthALook.ThrottledRequests,
    },
    {
      name: `${table}-table-errors`,
      runbook: 'table-errors',
      severity: 'ticket',
      periods: sustained,
      metric: ofTable('SystemErrors', `${name}-${table}`),
      threshold: worthALook.SystemErrors,
    },
  ]);
