/** Who is woken, and what the first page shows. */
import { existsSync, readFileSync } from 'node:fs';
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
  ['admin-5xx', 'AWS/ApiGateway', '5XXError'],
  ['callbacks-5xx', 'AWS/ApiGateway', '5XXError'],
  ['approvals-failed', 'AWS/States', 'ExecutionsFailed'],
  ['approvals-aborted', 'AWS/States', 'ExecutionsAborted'],
  ['approvals-throttled', 'AWS/States', 'ExecutionThrottled'],
  ['dead-letters', 'AWS/SQS', 'ApproximateNumberOfMessagesVisible'],
  ['approval-age', 'AgentGovernance', 'svc_approval_oldest_seconds'],
])('%s watches %s %s', (name, namespace, metric) => {
  expect(named(name)).toMatchObject({ Namespace: namespace, MetricName: metric });
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

const headings = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  );
