/** How much of each text a pull-request comment shows, to the character: GitHub refuses one of more than 65,536. */
import { codeBlock, codeSpan, pullRequestComment, replyComment } from '#core/approvals/pull-request-comment.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from './notifications/sample.ts';

const most = 65_536;
const textOf = (over: Partial<ApprovalRow>) => pullRequestComment(sampleRow(over), 'a'.repeat(40), 'https://g.example');

test('[approval.pr-comment] each fact takes as much as its kind has room for', () => {
  const long = 'x'.repeat(20_000);
  const text = textOf({
    ...{ tool: long, target: long, tenant: long, rule_reason: long, withheld: [long], justification: long },
    parameters: {},
  });
  const kept = Object.fromEntries(
    [...text.matchAll(/^(\w+) +(.*)… \(/gm)].map(([, label, shown]) => [label, shown!.length]),
  );
  expect(kept).toEqual({ Tool: 300, Target: 9000, Tenant: 300, Reason: 1000, Withheld: 1000, Why: 2000 });
  expect(text).toContain(`Digest     ${'d'.repeat(64)}`);
  const { length } = textOf({ effects: Array.from({ length: 4000 }, () => 'does a thing of some length') });
  expect(length).toBeLessThan(most / 2 + 2000);
  expect(length).toBeGreaterThan(most / 2);
});

/** The comment with a parameter of this length. */
const withText = (length: number, over: Partial<ApprovalRow> = {}) =>
  textOf({ parameters: { a: 'x'.repeat(length) }, ...over });
const room = most - withText(0).length;

test('[approval.pr-comment] parameters that just fit stand whole; one character more, and they are cut', () => {
  expect(withText(room)).toHaveLength(most);
  expect(withText(room)).not.toContain('more characters');
  expect(withText(room + 1)).toMatch(/… \(\d+ more characters\)\n```$/);
  expect(withText(room + 1).length).toBeLessThanOrEqual(most);
  expect(withText(room)).toContain('- `/approve');
  expect(withText(room + 1)).not.toContain('/approve');
  expect(withText(room + 1)).toContain('- `/deny');
  expect(withText(room + 1)).toContain('```\n1: "a"\n\n"a": "xx');
});

test('[approval.pr-comment] an executable text stands apart, whole, where it is too long as a parameter', () => {
  const lines = 'x\n'.repeat(25_000);
  const shown = textOf({ parameters: { a: lines, b: 'y'.repeat(50) }, executed: ['$.parameters.a'] });
  expect(shown).toContain(`Executed as it stands:\n\n\`\`\`\nparameters.a:\n${lines}`);
  expect(shown).toContain(`"a": "(shown above, whole)",\n "b": "${'y'.repeat(50)}"`);
  expect(shown).toContain('- `/approve');
  const tooLong = withText(most, { executed: ['$.parameters.a'] });
  expect(tooLong).toContain('The call is too long for a comment.');
  expect(tooLong).not.toContain('/approve');
  expect(tooLong.length).toBeLessThanOrEqual(most);
});

test.each([
  ['abc', 11, '```\nabc\n```'],
  ['a```b', 15, '````\na```b\n````'],
  ['x'.repeat(100), 100 + 8, `\`\`\`\n${'x'.repeat(100)}\n\`\`\``],
  ['x'.repeat(100), 100 + 7, `\`\`\`\n${'x'.repeat(59)}… (41 more characters)\n\`\`\``],
  ['x'.repeat(100), 20, '```\n… (100 more characters)\n```'],
])('[approval.pr-comment] %#: a block in so many characters', (text, size, block) => {
  expect(codeBlock(text, size)).toBe(block);
});

test('[approval.pr-comment] a span of one line, and a reply', () => {
  expect(codeSpan('a`b``c', 10)).toBe('``` a`b``c ```');
  expect(codeSpan('abcdef', 3)).toBe('` abc… (3 more characters) `');
  expect(codeSpan(' \n', 10)).toBe('—');
  expect(replyComment('bob', 'x'.repeat(1992))).toBe(`@bob:\n\n\`\`\`\n${'x'.repeat(1992)}\n\`\`\``);
  expect(replyComment('bob', 'x'.repeat(1993))).toContain('more characters');
});
