/** Resources that are billed without any calls, compared with the counts that `npm run cost` uses. */
import { counted } from '../../bench/cost/idle.ts';
import type { Loose } from '../support/loose.ts';
import { ofType, synthesize } from './synthesized.ts';

const { stores, services, watch } = synthesize();

it('[cost.table] counts alarms by the metrics they read, and counts composite alarms and secrets as in the templates', () => {
  const alarms = [services, watch].flatMap((stack) => Object.values(ofType(stack, 'AWS::CloudWatch::Alarm')));
  // A query counts as one metric: it reads the existing series, and throttled requests exist only after throttling.
  const read = ({ Properties: { Metrics } }: Loose) =>
    Metrics?.filter(({ MetricStat }: Loose) => MetricStat).length || 1;
  expect({
    alarmMetrics: Math.ceil(alarms.reduce((sum, alarm) => sum + read(alarm), 0) / 10) * 10,
    compositeAlarms: Object.keys(ofType(watch, 'AWS::CloudWatch::CompositeAlarm')).length,
    dashboards: Object.keys(ofType(watch, 'AWS::CloudWatch::Dashboard')).length,
    secrets: Object.keys(ofType(stores, 'AWS::SecretsManager::Secret')).length,
    signingKeys: Object.keys(ofType(stores, 'AWS::KMS::Key')).length,
  }).toEqual({
    alarmMetrics: counted.alarmMetrics,
    compositeAlarms: counted.compositeAlarms,
    dashboards: counted.dashboards,
    secrets: counted.secrets,
    signingKeys: counted.signingKeys,
  });
});

it('[cost.table] omits dashboards on request, but keeps every alarm', () => {
  const { watch: plain } = synthesize({ dashboards: 'off' });
  expect(ofType(plain, 'AWS::CloudWatch::Dashboard')).toEqual({});
  expect(Object.keys(ofType(plain, 'AWS::CloudWatch::Alarm'))).toEqual(
    Object.keys(ofType(watch, 'AWS::CloudWatch::Alarm')),
  );
});
