/** Who is woken, and what the first page shows. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { functions } from '#core/contracts/functions.ts';
import { ofType, reference, synthesize } from './synthesized.ts';

const { watch } = synthesize();
const alarms = Object.values(ofType(watch, 'AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
const named = (name: string) =>
  alarms.find(({ AlarmDescription }) => (AlarmDescription as string).startsWith(`${name}:`));

it.each(
  Object.keys(functions).flatMap((name) => [
    [`${name}-errors`, 'Errors'],
    [`${name}-throttles`, 'Throttles'],
  ]),
)('%s wakes at the first', (name, metric) => {
  expect(named(name!)).toMatchObject({
    Namespace: 'AWS/Lambda',
    MetricName: metric,
    Threshold: 1,
    TreatMissingData: 'notBreaching',
  });
});

it.each([
  ['gateway-5xx', 'AWS/ApiGateway', '5XXError'],
  ['admin-5xx', 'AWS/ApiGateway', '5XXError'],
  ['callbacks-5xx', 'AWS/ApiGateway', '5XXError'],
  ['mcp-5xx', 'AWS/ApiGateway', '5XXError'],
  ['websocket-errors', 'AWS/ApiGateway', 'ExecutionError'],
  ['breaker-open', 'AgentGovernance', 'svc_breaker_open'],
  ['budget-alert', 'AgentGovernance', 'svc_budget_tier_total'],
  ['budget-warning', 'AgentGovernance', 'svc_budget_tier_total'],
  ['budget-exhausted', 'AgentGovernance', 'svc_budget_tier_total'],
  ['approvals-failed', 'AWS/States', 'ExecutionsFailed'],
  ['approvals-aborted', 'AWS/States', 'ExecutionsAborted'],
  ['approvals-throttled', 'AWS/States', 'ExecutionThrottled'],
  ['dead-letters', 'AWS/SQS', 'ApproximateNumberOfMessagesVisible'],
  ['projection-age', 'AWS/Lambda', 'IteratorAge'],
  ['archive-missing', 'AgentGovernance', 'svc_archive_missing_entries'],
  ['archive-contradictions', 'AgentGovernance', 'svc_archive_contradictions'],
  ['approval-age', 'AgentGovernance', 'svc_approval_oldest_seconds'],
])('%s watches %s %s', (name, namespace, metric) => {
  expect(named(name)).toMatchObject({ Namespace: namespace, MetricName: metric });
});

it('looks when one of twenty chat calls is slow, three times in a row', () => {
  expect(named('chat-latency')).toMatchObject({
    MetricName: 'svc_chat_latency_ms',
    ExtendedStatistic: 'p95',
    Period: 300,
    Threshold: 30_000,
    EvaluationPeriods: 3,
  });
});

it.each([
  ['provider-errors', 'svc_provider_errors_total', 10],
  ['risk-alerts', 'svc_risk_alerts_total', 1],
])('%s counts over all labels, by a query since alarms take no search', (name, metric, threshold) => {
  const { Metrics = [], Threshold } = named(name) ?? {};
  expect(Threshold).toBe(threshold);
  expect(Metrics).toMatchObject([
    {
      Expression: `SELECT SUM(${metric}) FROM "AgentGovernance" WHERE deployment = 'agent-governance'`,
      Period: 300,
      ReturnData: true,
    },
  ]);
  for (const { Metrics = [] } of alarms)
    for (const { Expression = '' } of Metrics) expect(Expression).not.toContain('SEARCH');
});

it('counts refused credentials over all brokers, and no issued one', () => {
  const { Metrics = [], Threshold } = named('credential-refusals') ?? {};
  expect(Threshold).toBe(5);
  expect(Metrics).toMatchObject([
    {
      Expression: `SELECT SUM(svc_credentials_total) FROM "AgentGovernance" WHERE deployment = 'agent-governance' AND outcome = 'refused'`,
      Period: 300,
    },
  ]);
});

it.each(['alert', 'warning', 'exhausted'])('tells the tier %s of a budget from the others', (tier) => {
  expect(named(`budget-${tier}`)?.Dimensions).toEqual([
    { Name: 'deployment', Value: 'agent-governance' },
    { Name: 'tier', Value: tier },
  ]);
});

it('rings at the topic, and says where to read on', () => {
  const runbook = existsSync('docs/how-to/runbook.md') ? readFileSync('docs/how-to/runbook.md', 'utf8') : undefined;
  for (const { AlarmActions, AlarmDescription } of alarms) {
    expect(reference(AlarmActions[0])).toMatch(/^\{AlarmsTopic/);
    const [, heading] = (AlarmDescription as string).match(/runbook\.md#([a-z0-9-]+)$/) ?? [];
    expect(heading).toBeDefined();
    if (runbook) expect(headings(runbook)).toContain(heading);
  }
});

it('shows decisions by kind, what waits, how long it took, and what fails', () => {
  const [dashboard] = Object.values(ofType(watch, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  for (const decision of ['allow', 'review', 'block']) expect(body).toContain(`decision=\\\\\\"${decision}\\\\\\"`);
  for (const metric of [
    'svc_approvals_pending',
    'svc_approval_oldest_seconds',
    'svc_approval_latency_seconds',
    'Errors',
    'Throttles',
  ]) {
    expect(body).toContain(metric);
  }
});

it('shows calls, tokens, cost, first tokens, providers, the cache and what was blocked', () => {
  const [dashboard] = Object.values(ofType(watch, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  for (const outcome of ['completed', 'cached', 'blocked', 'refused'])
    expect(body).toContain(`outcome=\\\\\\"${outcome}`);
  for (const metric of [
    'svc_chat_requests_total',
    'svc_chat_tokens_total',
    'svc_chat_cost_microusd_total',
    'svc_first_token_ms',
    'svc_chat_latency_ms',
    'svc_provider_errors_total',
    'svc_breaker_open',
    'svc_policy_violations_total',
  ])
    expect(body).toContain(metric);
  expect(body).toContain('100 * FILL(cached, 0) / (FILL(cached, 0) + FILL(completed, 0))');
});

it('shows decisions by protocol, MCP clients, the sandbox, risk and credentials', () => {
  const [dashboard] = Object.values(ofType(watch, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  for (const title of [
    'Decisions by protocol',
    'Messages of MCP clients',
    'Commands in the sandbox',
    'Risk alerts',
    'Credentials issued and refused',
  ])
    expect(body).toContain(title);
  for (const metric of ['svc_policy_decisions_total', 'svc_risk_alerts_total', 'svc_credentials_total'])
    expect(body).toContain(`MetricName=\\\\\\"${metric}`);
});

it('asks for no metric that nobody writes', () => {
  const asked = new Set([...JSON.stringify(watch.toJSON()).matchAll(/svc_[a-z_]+/g)].map(([name]) => name));
  const code = ['core', 'adapters', 'lambdas']
    .flatMap((folder) => globSync(`${folder}/**/*.ts`))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  expect([...asked].filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

const headings = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );
