/** How much of each text a Slack message shows, to the character: Slack refuses a section of more than 3000. */
import { slackAlert, slackMessage } from '#core/approvals/slack-message.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from './notifications/sample.ts';

const long = 'x'.repeat(5000);
const sections = (over: Partial<ApprovalRow>): string[] =>
  slackMessage(sampleRow(over), 'https://gateway.example').blocks.flatMap((block) =>
    'text' in block ? [(block as { text: { text: string } }).text.text] : [],
  );
const buttons = (over: Partial<ApprovalRow>): number =>
  (slackMessage(sampleRow(over), '').blocks.at(-1) as { elements: object[] }).elements.length;

test('[notify.slack-buttons] each fact takes as much as its kind has room for, and all fit into one section', () => {
  const [, facts = ''] = sections({
    ...{ tool: long, target: long, capability: long, tenant: long, session_id: long, matched_rule: long },
    ...{
      rule_reason: long,
      withheld: [long],
      justification: long,
      key_name: long,
      actor: { agent: long, session: '' },
    },
  });
  const lengths = Object.fromEntries(
    facts.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.length - line.indexOf('`') - 2]),
  );
  expect(lengths).toEqual({
    ...{ Tool: 250, Target: 400, Capability: 130, Key: 130, Tenant: 130, Session: 130, Rule: 200, Reason: 300 },
    ...{ Risk: 45, Withheld: 200, Label: 130, Why: 400 },
  });
  expect(facts.length).toBeLessThanOrEqual(3000);
});

test('[notify.slack-buttons] every fact at its longest takes a second section, never a longer one', () => {
  const row = sampleRow({
    ...{
      tool: long,
      target: long,
      capability: long,
      tenant: long,
      session_id: long,
      matched_rule: long,
      key_name: long,
    },
    ...{
      rule_reason: long,
      withheld: [long],
      justification: long,
      sources: [long],
      actor: { agent: long, session: '' },
    },
    credential: { broker: long, scope: long, ttl_seconds: 600 },
  });
  const place = `${'y'.repeat(120)}.yaml:1`;
  const texts = slackMessage(row, 'https://gateway.example', place).blocks.flatMap((block) =>
    'text' in block ? [(block as { text: { text: string } }).text.text] : [],
  );
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(3000);
  expect(
    texts
      .slice(1, 3)
      .join('\n')
      .match(/^[A-Z][a-z ]+(?=: `)/gm),
  ).toEqual([
    ...['Tool', 'Target', 'Capability', 'Key', 'Tenant', 'Session', 'Rule', 'Rule at', 'Reason', 'Sources'],
    ...['Credential', 'Risk', 'Withheld', 'Label', 'Why'],
  ]);
  expect(texts[1]).toContain(`Rule at: \`${place}\``);
});

test('[notify.slack-buttons] a text that has just room enough is whole, and one more is cut', () => {
  const shown = (reason: string) => sections({ rule_reason: reason })[1]!.match(/Reason: `(.*)`/)![1]!;
  expect(shown('x'.repeat(300))).toBe('x'.repeat(300));
  expect(shown('x'.repeat(301))).toBe(`${'x'.repeat(264)}… (37 more characters, see details)`);
  expect(shown('&'.repeat(60))).toBe('&amp;'.repeat(60));
  expect(shown('&'.repeat(61))).toMatch(/^(&amp;){53}… \(8 more characters, see details\)$/);
  expect(sections({ rule_reason: '\u200b', session_id: '' })[1]).not.toContain('Session');
});

test('[notify.slack-buttons] the line that notifications show', () => {
  const { text } = slackMessage(sampleRow({ tool: long, target: long }), '');
  expect(text.split(' on ').map((part) => part.replace(/: Approval.*/, '').length)).toEqual([250, 400]);
  const decided = slackMessage(sampleRow({ status: 'denied', person: long, comment: long }), '').text;
  expect(decided).toMatch(/: Denied by x+… \(\d+ more characters, see details\): x+…/);
  expect(decided.slice(decided.indexOf('Denied by ') + 10).length).toBe(100 + 2 + 300);
});

test('[notify.slack-buttons] effects: each line cut, as many as fit, and how many do not', () => {
  const effects = Array.from({ length: 12 }, () => long);
  const shown = sections({ effects })[2]!;
  const lines = shown.split('\n');
  expect(lines.slice(1, -1).map((line) => line.length)).toEqual(Array.from({ length: 11 }, () => 254));
  expect(lines.at(-1)).toBe('… 1 more, see details');
  const short = sections({ effects: Array.from({ length: 300 }, () => 'y'.repeat(16)) })[2]!;
  // 24 of the title, then 21 a line: a line is added while text and line have 2900 characters at the most.
  expect(short.split('\n').length - 2).toBe(137);
  expect(short.endsWith('… 163 more, see details')).toBe(true);
});

test('[notify.slack-buttons] parameters that just fit stand whole; beyond that they are cut, and executable texts stand apart', () => {
  const fits = 3000 - 'Parameters:\n'.length - 6 - '{\n "a": ""\n}'.length;
  const at = (length: number, executed: string[] = []) =>
    sections({ parameters: { a: 'x'.repeat(length) }, executed }).slice(3);
  expect(at(fits).map((text) => text.length)).toEqual([3000]);
  expect(at(fits + 1)).toEqual([
    expect.stringMatching(/^Parameters: `1: "a"`\nHow they begin:\n```"a": "x+… \(\d+ more characters\)```$/),
    expect.stringContaining('*The call is too long for Slack.*'),
  ]);
  expect(buttons({ parameters: { a: 'x'.repeat(fits) } })).toBe(2);
  expect(buttons({ parameters: { a: 'x'.repeat(fits + 1) } })).toBe(1);
  expect(at(fits, ['$.parameters.a'])).toHaveLength(1);
  expect(at(fits + 1, ['$.parameters.a'])).toHaveLength(3);
});

test('[notify.slack-buttons] an executable text takes as many sections as it needs, up to twelve', () => {
  const of = (length: number) => ({ parameters: { a: 'x'.repeat(length) }, executed: ['$.parameters.a'] });
  const parts = (length: number) => sections(of(length)).slice(3, -1);
  expect(parts(5500).map((text) => text.split('```')[0])).toEqual([
    'Executed as it stands (`parameters.a`, 1 of 2):\n',
    'Executed as it stands (`parameters.a`, 2 of 2):\n',
  ]);
  expect(parts(5501)).toHaveLength(3);
  expect(parts(5501)[2]).toBe('Executed as it stands (`parameters.a`, 3 of 3):\n```x```');
  expect([parts(12 * 2750).length, buttons(of(12 * 2750))]).toEqual([12, 2]);
  expect([parts(12 * 2750 + 1).length, buttons(of(12 * 2750 + 1))]).toEqual([1, 1]);
  expect(sections(of(12 * 2750 + 1)).at(-1)).toContain('*The call is too long for Slack.*');
  expect(sections(of(5500)).at(-1)).toContain('"a": "(shown above, whole)"');
});

test('[notify.slack-buttons] an executed target that its fact cuts stands whole beside small parameters', () => {
  const of = (length: number) => sections({ target: 'x'.repeat(length), executed: ['$.target'] });
  expect(of(400)).toHaveLength(4);
  expect(of(401)).toHaveLength(5);
  expect(of(401)[3]).toBe(`Executed as it stands (\`target\`):\n\`\`\`${'x'.repeat(401)}\`\`\``);
});

test('[alert.evaluated] an alert: its message cut, and how to acknowledge it until it is resolved', () => {
  const alert = (change: 'opened' | 'resolved') =>
    slackAlert({ id: 'a1', severity: 'critical', message: long, change } as Parameters<typeof slackAlert>[0]);
  const [, message = '', how] = (alert('opened').blocks[0] as { text: { text: string } }).text.text.split('\n');
  expect([message.length, how]).toEqual([1002, 'Acknowledge it with `agentctl alerts acknowledge a1`']);
  expect(alert('opened').text).toHaveLength('Alert opened (critical): '.length + 400);
  expect((alert('resolved').blocks[0] as { text: { text: string } }).text.text.split('\n')).toHaveLength(2);
});
