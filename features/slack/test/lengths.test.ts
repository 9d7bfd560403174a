/** Text lengths in Slack messages: Slack refuses a section of more than 3000 characters. */

import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { slackAlert, slackMessage } from '../message.ts';
import { fitText } from '../text.ts';

const long = 'x'.repeat(5000);
const sections = (over: Partial<ApprovalRow>): string[] =>
  slackMessage(sampleRow(over), 'https://gateway.example').blocks.flatMap((block) =>
    'text' in block ? [(block as { text: { text: string } }).text.text] : [],
  );
const buttons = (over: Partial<ApprovalRow>): number =>
  (slackMessage(sampleRow(over), '').blocks.at(-1) as { elements: object[] }).elements.length;

test('[slack.confirmed] an executed string takes as many sections as it needs, up to twelve', () => {
  const of = (length: number) => ({ parameters: { a: 'x'.repeat(length) }, executed: ['$.parameters.a'] });
  const parts = (length: number) => sections(of(length)).slice(3, -1);
  expect(parts(5500).map((text) => text.split('```')[0])).toEqual([
    'Executed exactly as shown (`parameters.a`, 1 of 2):\n',
    'Executed exactly as shown (`parameters.a`, 2 of 2):\n',
  ]);
  expect(parts(5501)).toHaveLength(3);
  expect(parts(5501)[2]).toBe('Executed exactly as shown (`parameters.a`, 3 of 3):\n```x```');
  expect([parts(12 * 2750).length, buttons(of(12 * 2750))]).toEqual([12, 2]);
  expect([parts(12 * 2750 + 1).length, buttons(of(12 * 2750 + 1))]).toEqual([1, 1]);
  expect(sections(of(12 * 2750 + 1)).at(-1)).toContain('*The call is too long for Slack.*');
  expect(sections(of(5500)).at(-1)).toContain('"a": "(shown above, whole)"');
});

test('[slack.confirmed] an executed target that is truncated in its field is also shown in full, together with small parameters', () => {
  const of = (length: number) => sections({ target: 'x'.repeat(length), executed: ['$.target'] });
  expect(of(400)).toHaveLength(4);
  expect(of(401)).toHaveLength(5);
  expect(of(401)[3]).toBe(`Executed exactly as shown (\`target\`):\n\`\`\`${'x'.repeat(401)}\`\`\``);
});

test('[alert.lifecycle] an alert’s message is truncated and, until it is resolved, explains how to acknowledge the alert', () => {
  const alert = (change: 'opened' | 'resolved') =>
    slackAlert({ id: 'a1', severity: 'critical', message: long, change } as Parameters<typeof slackAlert>[0]);
  const [, message = '', how] = (alert('opened').blocks[0] as { text: { text: string } }).text.text.split('\n');
  expect([message.length, how]).toEqual([1002, 'Acknowledge it with `agentctl alerts acknowledge a1`']);
  expect(alert('opened').text).toHaveLength('Alert opened (critical): '.length + 400);
  expect((alert('resolved').blocks[0] as { text: { text: string } }).text.text.split('\n')).toHaveLength(2);
});

test('[slack.confirmed] a truncated string states the number of missing characters, whatever escapes they need', () => {
  expect(fitText('&'.repeat(100), 60)).toBe(`${'&amp;'.repeat(4)}… (96 more characters, see details)`);
});
