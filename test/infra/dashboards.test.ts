/** What the two dashboards show. */
import type { Loose } from '../support/loose.ts';
import { ofType, synthesize } from './synthesized.ts';

const { watch } = synthesize();
/** Widgets, with what stands in for names of other stacks left out. */
const widgetsOf = (name: string): Loose[] => {
  const { 'Fn::Join': joined } = JSON.parse(bodyOf(name));
  return JSON.parse(joined[1].map((part: unknown) => (typeof part === 'string' ? part : 'x')).join('')).widgets;
};

const bodyOf = (name: string): string => {
  const found = Object.values(ofType(watch, 'AWS::CloudWatch::Dashboard')).find(
    ({ Properties }) => Properties.DashboardName === name,
  );
  return JSON.stringify(found?.Properties.DashboardBody);
};

it('shows decisions by kind, what waits, how long it took, and what fails', () => {
  const body = bodyOf('agent-governance');
  for (const decision of ['allow', 'review', 'block']) expect(body).toContain(`decision=\\\\\\"${decision}\\\\\\"`);
  for (const metric of [
    ...['svc_approvals_pending', 'svc_approval_oldest_seconds', 'svc_approval_latency_seconds', 'Errors'],
    'Throttles',
  ]) {
    expect(body).toContain(metric);
  }
});

it('shows calls, tokens, cost, first tokens, providers, the cache and what was blocked', () => {
  const body = bodyOf('agent-governance');
  for (const outcome of ['completed', 'cached', 'blocked', 'refused'])
    expect(body).toContain(`outcome=\\\\\\"${outcome}`);
  for (const metric of [
    ...['svc_chat_requests_total', 'svc_chat_tokens_total', 'svc_chat_cost_microusd_total'],
    ...['svc_first_token_ms', 'svc_chat_latency_ms', 'svc_provider_errors_total', 'svc_breaker_open'],
    'svc_policy_violations_total',
  ])
    expect(body).toContain(metric);
  expect(body).toContain('100 * FILL(cached, 0) / (FILL(cached, 0) + FILL(completed, 0))');
});

it('shows decisions by protocol, MCP clients, the sandbox, risk and credentials', () => {
  const body = bodyOf('agent-governance');
  for (const title of [
    ...['Decisions by protocol', 'Messages of MCP clients', 'Commands in the sandbox', 'Risk alerts'],
    'Credentials issued and refused',
  ])
    expect(body).toContain(title);
  for (const metric of ['svc_policy_decisions_total', 'svc_risk_alerts_total', 'svc_credentials_total'])
    expect(body).toContain(`MetricName=\\\\\\"${metric}`);
});

it('[watch.runbook] [watch.alarms] the overview has five objectives as a percentage that was good, and the state of every alarm', () => {
  const body = bodyOf('agent-governance-overview');
  for (const title of ['Availability', 'Latency', 'First token', 'Approval delivery', 'Evidence lag'])
    expect(body).toContain(`${title}: `);
  for (const statistic of ['PR(0:30000)', 'PR(0:5000)', 'PR(0:30)', 'PR(0:60000)']) expect(body).toContain(statistic);
  const sum = (letter: string) => [0, 1, 2, 3].map((at) => `FILL(${letter}${at}, 0)`).join(' + ');
  expect(body).toContain(`100 - 100 * (${sum('f')}) / (${sum('n')})`);
  for (const name of ['gateway', 'mcp', 'admin', 'callbacks']) expect(body).toContain(`agent-governance-${name}`);
  expect(body.match(/objective: [\d.]+ %/g)).toHaveLength(5);
  const alarms = Object.keys(ofType(watch, 'AWS::CloudWatch::Alarm'));
  expect(alarms.filter((id) => !body.includes(id))).toEqual([]);
});

it('[watch.runbook] every search has a label, because its legend would be the whole search', () => {
  const shown = widgetsOf('agent-governance').flatMap(({ properties: { metrics = [] } }) => metrics.flat());
  const searches = shown.filter(
    ({ expression = '', visible }: Loose) => expression.includes('SEARCH') && visible !== false,
  );
  expect(searches.length).toBeGreaterThan(5);
  for (const { expression, label } of searches)
    expect([expression, label]).toEqual([expression, expect.stringMatching(/./)]);
});
