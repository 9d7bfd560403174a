/** Alarms: the condition, the delay, the recipient, and the runbook entry they link to. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { functions } from '#features/functions.ts';
import { tables } from '#features/tables.ts';
import { restAccessLog, socketAccessLog } from '../../lib/access-log.ts';
import { watchedAlone } from '../../lib/alarms/functions.ts';
import { contextKeys } from '../../lib/context-keys.ts';
import type { Loose } from '../support/loose.ts';
import { sourceText } from '../support/source-text.ts';
import { readCases } from '../support/yaml.ts';
import { asked } from './contexts.ts';
import { emittedMetrics } from './emitted-metrics.ts';
import { ofType, reference, synthesize } from './synthesized.ts';

const cases = readCases(
  'test/infra/watch.yaml',
  z.strictObject({ watched: z.array(z.tuple([z.string(), z.string(), z.string()])) }),
);

const { stores, services, watch } = synthesize({ canary: 'on' });
const off = synthesize();
const { watch: large } = synthesize(asked);
const alarms = Object.values(ofType(watch, 'AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
const composites = Object.values(ofType(watch, 'AWS::CloudWatch::CompositeAlarm')).map(({ Properties }) => Properties);
const nameOf = ({ AlarmDescription }: Loose): string => (AlarmDescription as string).split(' ')[0]!;
const named = (name: string): Loose => [...alarms, ...composites].find((alarm) => nameOf(alarm) === name);
/** Returns the metrics of an alarm, whether it has one or combines several. */
const metricsOf = (alarm: Loose): Loose[] =>
  alarm.Metrics
    ? alarm.Metrics.flatMap(({ MetricStat }: Loose) =>
        MetricStat ? [{ ...MetricStat.Metric, Stat: MetricStat.Stat }] : [],
      )
    : [alarm];

describe('[watch.alarms] failures', () => {
  const ofSchedules = watchedAlone.filter((name) => functions[name].schedule && !functions[name].streamsOf);
  const repeated: Readonly<Record<string, string>> = {
    ...Object.fromEntries(ofSchedules.map((name) => [name, `${name}-stopped`])),
    notify: 'notification-age',
    project: 'projection-age',
  };

  it.each(watchedAlone.filter((name) => !ofSchedules.includes(name)))(
    'errors of %s are counted as a share of its calls, and raise an alarm only if they persist',
    (name) => {
      const alarm = named(`${name}-errors`);
      expect(metricsOf(alarm).map(({ MetricName }) => MetricName)).toEqual(['Errors', 'Invocations']);
      expect(alarm).toMatchObject({ Threshold: 5, DatapointsToAlarm: 2, EvaluationPeriods: 3 });
      expect(alarm.Metrics[0].Expression).toBe('IF(failed >= 3, 100 * failed / all, 0)');
    },
  );

  it.each(ofSchedules)(
    'errors of %s are counted individually, and its schedule fails often enough to raise the alarm',
    (name) => {
      const alarm = named(`${name}-errors`);
      expect(alarm).toMatchObject({ MetricName: 'Errors', Period: 300 });
      // A run is tried once more at most.
      const failuresPerPeriod = 2 * Math.max(1, 5 / functions[name].schedule!.everyMinutes);
      expect(alarm.Threshold).toBeLessThanOrEqual(failuresPerPeriod);
      const isDaily = functions[name].schedule!.everyMinutes > 5;
      expect([alarm.Threshold, alarm.DatapointsToAlarm, alarm.EvaluationPeriods]).toEqual(
        isDaily ? [1, 1, 1] : [3, 2, 3],
      );
    },
  );

  it.each([...watchedAlone])('throttling of %s is detected directly, or through a backlog of its work', (name) => {
    const waits = repeated[name];
    if (waits) expect([named(waits)?.Threshold, named(`${name}-throttles`)]).toEqual([expect.any(Number), undefined]);
    else
      expect(named(`${name}-throttles`)).toMatchObject({
        MetricName: 'Throttles',
        Threshold: 10,
        EvaluationPeriods: 3,
      });
  });

  it.each(['gateway', 'admin', 'callbacks', 'mcp'])(
    'errors on the %s surface are counted as a share of its responses',
    (name) => {
      const alarm = named(`${name}-5xx`);
      expect(metricsOf(alarm).map(({ MetricName }) => MetricName)).toEqual(['5XXError', 'Count']);
      expect(alarm).toMatchObject({ Threshold: 5, DatapointsToAlarm: 2, EvaluationPeriods: 3 });
    },
  );

  it("every function is covered by its own alarm, its surface's alarm or its heartbeat", () => {
    expect(watchedAlone).toEqual(expect.arrayContaining(['chat-completions', 'mcp', 'ws-worker', 'project', 'sweep']));
    for (const covered of ['models', 'policies', 'credentials'] as const) expect(watchedAlone).not.toContain(covered);
  });

  it('isolated failures raise no alarm', () => {
    const facts =
      /^(alerts-|archive-|chains-contradicted|approvals-unproven|(?:approvals|rollouts)-(?:failed|aborted|timed-out)|guards-|risk-|budget-|breaker-|deliveries-dead|dead-letters)/;
    const single = alarms.filter(
      ({ Threshold, ComparisonOperator, EvaluationPeriods }) =>
        Threshold <= 1 && ComparisonOperator !== 'LessThanThreshold' && EvaluationPeriods === 1,
    );
    expect(single.map(nameOf).filter((name) => !facts.test(name))).toEqual([]);
  });
});

it('[watch.alarms] topics accept messages from the alarms of this account only, because their policy replaces the default', () => {
  const policies = Object.values(ofType(watch, 'AWS::SNS::TopicPolicy'));
  const targets = [...alarms, ...composites].flatMap(({ AlarmActions = [], InsufficientDataActions = [] }) =>
    [...AlarmActions, ...InsufficientDataActions].map(reference),
  );
  const publishing = policies.flatMap(({ Properties: { Topics, PolicyDocument } }) =>
    (PolicyDocument.Statement as Loose[]).flatMap(({ Effect, Action, Resource, Principal, Condition }) =>
      Effect === 'Allow' && reference(Resource) === reference(Topics[0])
        ? [{ topic: reference(Resource), Action, Principal, Condition }]
        : [],
    ),
  );
  expect(new Set(targets).size).toBe(2);
  expect(publishing).toEqual(
    [...new Set(targets)].sort().map((topic) => ({
      topic,
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: {
        StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
        ArnLike: { 'aws:SourceArn': expect.anything() },
      },
    })),
  );
  for (const { Condition } of publishing)
    expect(reference(Condition.ArnLike['aws:SourceArn'])).toBe(
      'arn:{Partition}:cloudwatch:{Region}:{AccountId}:alarm:*',
    );
});

describe('[watch.alarms] a schedule that stopped', () => {
  it.each([
    ['sweep', 600, 1, 'page'],
    ['notify', 600, 1, 'page'],
    ['archive-check', 86_400, 2, 'ticket'],
  ] as const)('%s is detected through missing data', (name, seconds, periods, severity) => {
    expect(named(`${name}-stopped`)).toMatchObject({
      Namespace: 'AgentGovernance',
      MetricName: 'svc_schedule_completed_total',
      Dimensions: expect.arrayContaining([{ Name: 'schedule', Value: name }]),
      Period: seconds,
      EvaluationPeriods: periods,
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: name === 'archive-check' ? 'missing' : 'breaching',
      AlarmDescription: expect.stringContaining(`(${severity})`),
    });
  });

  it('missing data triggers only the alarms meant to detect it', () => {
    for (const alarm of alarms.filter(
      (one) => !/-(stopped|missing)$/.test(nameOf(one)) || nameOf(one) === 'archive-missing',
    ))
      expect(alarm.TreatMissingData).toBe('notBreaching');
  });

  it('no alarm evaluates a longer time span than CloudWatch allows', () => {
    for (const { Period = 300, EvaluationPeriods } of alarms)
      expect(Period * EvaluationPeriods).toBeLessThanOrEqual(Period >= 3_600 ? 604_800 : 86_400);
  });
});

it.each(cases.watched)('[watch.alarms] alarm %s watches %s %s', (name, namespace, metric) => {
  expect(named(name)).toMatchObject({ Namespace: namespace, MetricName: metric });
});

const expression = (name: string) => named(name).Metrics[0].Expression;

it.each(Object.keys(tables))('[watch.alarms] table %s has an alarm for throttled requests', (table) => {
  const where = `FROM "AWS/DynamoDB" WHERE TableName = 'agent-governance-${table}'`;
  expect(expression(`${table}-table-throttles`)).toBe(`SELECT SUM(ThrottledRequests) ${where}`);
});

it('[watch.alarms] failed DynamoDB requests are monitored across all tables', () => {
  expect(expression('table-errors')).toBe('SELECT SUM(SystemErrors) FROM "AWS/DynamoDB"');
});

it('[watch.alarms] account concurrency is compared with the quota named by the deployment', () => {
  expect(named('account-concurrency').Threshold).toBe(800);
  const found = Object.values(ofType(large, 'AWS::CloudWatch::Alarm')).find(
    ({ Properties }) => Properties.MetricName === 'ClaimedAccountConcurrency',
  );
  expect(found?.Properties.Threshold).toBe(4_000);
});

it('raises an alarm if one in twenty chat calls is slow in three consecutive periods', () => {
  expect(named('chat-latency')).toMatchObject({
    MetricName: 'svc_chat_latency_ms',
    ExtendedStatistic: 'p95',
    Period: 300,
    Threshold: 30_000,
    EvaluationPeriods: 3,
  });
});

it.each([
  ['provider-errors', 'svc_provider_errors_total', 10, ''],
  ['risk-alerts', 'svc_risk_alerts_total', 1, ''],
  ['rejected-credentials', 'svc_credentials_rejected_total', 150, ''],
  ...(['critical', 'warning'] as const).map((severity): [string, string, number, string] => [
    ...([`alerts-${severity}`, 'svc_alerts_total', 1] as const),
    ` AND severity = '${severity}' AND change != 'acknowledged' AND change != 'resolved'`,
  ]),
  ['credential-refusals', 'svc_credentials_total', 5, " AND outcome = 'refused'"],
])('%s sums over all labels with a query, because alarms do not support searches', (name, metric, threshold, where) => {
  const { Metrics = [], Threshold } = named(name);
  expect(Threshold).toBe(threshold);
  expect(Metrics).toMatchObject([
    {
      Expression: `SELECT SUM(${metric}) FROM "AgentGovernance" WHERE deployment = 'agent-governance'${where}`,
      Period: 300,
      ReturnData: true,
    },
  ]);
  expect(JSON.stringify(alarms)).not.toContain('SEARCH');
});

it.each(['alert', 'warning', 'exhausted'])('distinguishes the budget tier %s from the others', (tier) => {
  expect(named(`budget-${tier}`)?.Dimensions).toEqual([
    { Name: 'deployment', Value: 'agent-governance' },
    { Name: 'tier', Value: tier },
  ]);
});

it('[watch.alarms] the first failed execution raises an alarm for both approvals and rollouts', () => {
  for (const name of ['approvals-failed', 'approvals-aborted', 'approvals-timed-out', 'rollouts-failed']) {
    const found = named(name);
    expect(found).toMatchObject({ Threshold: 1, EvaluationPeriods: 1, TreatMissingData: 'notBreaching' });
    const machine = name.startsWith('rollouts') ? 'rollout' : 'approval';
    expect(reference(found.Dimensions[0].Value)).toContain(`:agent-governance-${machine}`);
  }
});

it('[watch.alarms] missing data raises an alarm after the first run of a daily schedule, and immediately for other schedules', () => {
  const treatment = (name: string) => [
    named(name).TreatMissingData,
    (named(name).InsufficientDataActions ?? []).length,
    named(name).AlarmActions.length,
  ];
  expect(treatment('archive-check-stopped')).toEqual(['missing', 1, 1]);
  for (const name of ['sweep-stopped', 'notify-stopped']) expect(treatment(name)).toEqual(['breaching', 0, 1]);
});

describe('[watch.alarms] messages', () => {
  const topicOf = ({ AlarmActions = [] }: Loose) =>
    AlarmActions.map((action: unknown) =>
      reference(action)
        .match(/^\{Alarms(Page|Ticket)Topic/)?.[1]
        ?.toLowerCase(),
    );
  const severityOf = ({ AlarmDescription }: Loose) => AlarmDescription.match(/ \((page|ticket)\): see /)?.[1];
  const joined = composites.flatMap(({ AlarmRule }) => [...JSON.stringify(AlarmRule).matchAll(/"(Alarms\w+)"/g)]);
  const joinedIds = new Set(joined.map(([, id]) => id!));

  it('each alarm is sent once, to the topic for its severity', () => {
    for (const [id, { Properties }] of Object.entries(ofType(watch, 'AWS::CloudWatch::Alarm')))
      expect([id, topicOf(Properties)]).toEqual([id, joinedIds.has(id) ? [] : [severityOf(Properties)]]);
    for (const composite of composites) expect(topicOf(composite)).toEqual(['page']);
    expect(composites.map(nameOf).sort()).toEqual(['capacity', 'service-unavailable']);
  });

  it('the pager receives a message when a condition is over, but none about the end of a single event', () => {
    const reporting = [...alarms, ...composites].filter(({ OKActions = [] }) => OKActions.length > 0);
    for (const { OKActions, AlarmActions } of reporting) expect(OKActions).toEqual(AlarmActions);
    expect(reporting.map(nameOf).sort()).toEqual([
      ...['alerts-stopped', 'approval-overdue', 'canary-missing', 'capacity', 'notify-stopped', 'projection-age'],
      ...['service-unavailable', 'sweep-stopped'],
    ]);
    const events = [...alarms, ...composites].filter(
      (each) => topicOf(each)[0] === 'page' && !reporting.includes(each),
    );
    expect(events.map(nameOf).sort()).toEqual([
      ...['alerts-critical', 'approvals-unproven', 'chains-contradicted', 'deliveries-dead'],
    ]);
  });

  it('alarms with the same cause are combined', () => {
    const parts = Object.entries(ofType(watch, 'AWS::CloudWatch::Alarm')).filter(([id]) => joinedIds.has(id));
    const names = parts.map(([, { Properties }]) => nameOf(Properties));
    expect(names).toEqual(
      expect.arrayContaining(['gateway-5xx', 'admin-5xx', 'chat-completions-errors', 'account-concurrency']),
    );
    for (const [, { Properties }] of parts) expect(severityOf(Properties)).toBe('page');
    for (const alone of ['project-errors', 'sandbox-throttles']) expect(names).not.toContain(alone);
  });
});

describe('[watch.runbook] the runbook', () => {
  const runbook = readFileSync('docs/how-to/runbook.md', 'utf8');
  const headings = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
  const code = sourceText(['core', 'adapters', 'lambdas']);
  const quoted = [...runbook.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!);

  it('has a heading for every alarm, and none for removed alarms', () => {
    const targets = [...alarms, ...composites].map(
      ({ AlarmDescription }) => AlarmDescription.match(/runbook\.md#([a-z0-9-]+)$/)?.[1],
    );
    const slug = (title: string) => /^[a-z0-9-]+$/.test(title);
    // Alarms of options that are disabled here.
    const outside = ['copy-failed', 'release-taken-back', 'streaming-plane'];
    expect([...new Set([...targets, ...outside])].sort()).toEqual(headings.filter(slug).sort());
  });

  it('mentions only log lines, metrics and fields that exist', () => {
    const lines = quoted.filter((text) => /^"[^":]+"$/.test(text)).map((text) => text.slice(1, -1));
    expect(lines.length).toBeGreaterThan(6);
    expect(lines.filter((line) => !code.includes(`'${line}'`) && !code.includes(`"${line}"`))).toEqual([]);
    const metrics = quoted.filter((text) => text.startsWith('svc_'));
    expect(metrics.filter((name) => !emittedMetrics().has(name))).toEqual([]);
    const fields = quoted.filter((text) => /^[a-z]+(_[a-z]+)+$/.test(text) && !text.startsWith('svc_'));
    expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(code))).toEqual([]);
    const known = [...Object.keys(restAccessLog), ...Object.keys(socketAccessLog), ...contextKeys, 'chatLatency'];
    const camelled = quoted.filter((text) => /^[a-z]+(?:[A-Z][a-z0-9]*)+$/.test(text));
    expect(camelled).toContain('integrationLatency');
    expect(camelled.filter((field) => !known.includes(field))).toEqual([]);
  });
});

describe('[watch.runbook] own metrics', () => {
  const emitted = emittedMetrics();

  it('metrics are queried per deployment, by the names and labels that the code writes', () => {
    const own = alarms.flatMap(metricsOf).filter(({ Namespace }) => Namespace === 'AgentGovernance');
    expect(own.length).toBeGreaterThan(10);
    for (const { MetricName, Dimensions } of own)
      expect([MetricName, Dimensions.map(({ Name }: Loose) => Name).sort()]).toEqual([
        MetricName,
        ['deployment', ...(emitted.get(MetricName) ?? ['nobody writes it'])].sort(),
      ]);
  });

  it('all metrics are written by a source file, including those used in queries and dashboards', () => {
    const asked = new Set([...JSON.stringify(watch.toJSON()).matchAll(/svc_[a-z_]+/g)].map(([name]) => name));
    expect([...asked].filter((name) => !emitted.has(name))).toEqual([]);
  });

  it('all metrics are listed in the table in telemetry.md', () => {
    const documented = readFileSync('docs/explanation/telemetry.md', 'utf8');
    expect([...emitted.keys()].filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });
});

test('[cloud.templates] alarms and dashboards refer to functions by name, so that a release can remove or rename a function', () => {
  const outputs = new Set(
    [...JSON.stringify(watch.toJSON()).matchAll(/"OutputName":"([^"]+)"/g)].map(([, name]) => name),
  );
  expect([...outputs]).toEqual([expect.stringContaining('WebSocketApi')]);
});

describe('[watch.alarms] the canary', () => {
  const rules = (template: typeof services) => JSON.stringify(ofType(template, 'AWS::Events::Rule'));
  const secrets = (template: typeof stores) => JSON.stringify(ofType(template, 'AWS::SecretsManager::Secret'));

  it('has a schedule, a secret and two paging alarms if the deployment enables it', () => {
    expect(rules(services)).toContain(functions.canary.purpose);
    expect(secrets(stores)).toContain('agent-governance/canary');
    expect(named('canary-failed')).toMatchObject({ MetricName: 'svc_canary_rounds_total', Threshold: 3, Period: 300 });
    expect(named('canary-missing')).toMatchObject({ TreatMissingData: 'missing', Threshold: 1, Period: 600 });
  });

  it('the canary does not exist unless the deployment enables it', () => {
    expect(rules(off.services)).not.toContain(functions.canary.purpose);
    expect(secrets(off.stores)).not.toContain('canary');
    expect(JSON.stringify(off.watch.toJSON())).not.toContain('canary-failed');
  });
});
