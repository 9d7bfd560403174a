/** Alarms on objects that S3 could not copy to the other account. */
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { CopySettings } from '../copy-settings.ts';
import { type AlarmRow, fiveMinutes } from './alarm.ts';

export const copyAlarms = (copies: CopySettings): AlarmRow[] =>
  (['archive', 'objects'] as const).map((of) => ({
    name: `${of}-copy-failed`,
    runbook: 'copy-failed',
    severity: 'ticket',
    // The source's name is known only once it is deployed.
    metric: new MathExpression({
      label: `objects of ${of} that were not copied`,
      period: fiveMinutes,
      expression: `SELECT SUM(OperationsFailedReplication) FROM "AWS/S3" WHERE DestinationBucket = '${copies[of]}'`,
    }),
    threshold: 1,
  }));
