/** Contents of the two dashboards. */
import type { Loose } from '../support/loose.ts';
import { ofType, synthesize } from './synthesized.ts';

const { watch } = synthesize();
/** Returns the widgets, with placeholders for names from other stacks. */
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

it('[watch.runbook] [watch.alarms] the overview shows five objectives as percentages of good events, and the state of every alarm', () => {
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

it('[watch.runbook] every search has a label, because otherwise the legend would show the whole search expression', () => {
  const shown = widgetsOf('agent-governance').flatMap(({ properties: { metrics = [] } }) => metrics.flat());
  const searches = shown.filter(
    ({ expression = '', visible }: Loose) => expression.includes('SEARCH') && visible !== false,
  );
  expect(searches.length).toBeGreaterThan(5);
  for (const { expression, label } of searches)
    expect([expression, label]).toEqual([expression, expect.stringMatching(/./)]);
});
