/** How much of each text a pull-request comment shows, to the character: GitHub refuses one of more than 65,536. */
import { codeBlock, codeSpan, pullRequestComment, replyComment } from '#core/approvals/pull-request-comment.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from '../notifications/sample.ts';

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
  expect(withText(room + 1).length).toBeGreaterThan(most - 60);
  expect(withText(room + 1)).toContain('- `/approve');
});

test('[approval.pr-comment] what is executed stands whole or not at all, and then it can only be denied', () => {
  const executed = ['$.parameters.a'];
  // 13 characters more stand around an executed text than around the same parameter.
  const shown = (length: number) => textOf({ parameters: { a: 'x'.repeat(length), b: 'y'.repeat(50) }, executed });
  expect(shown(room - 13)).toHaveLength(most);
  expect(shown(room - 13)).toContain(
    `Executed as it stands:\n\n\`\`\`\nparameters.a:\n${'x'.repeat(room - 13)}\n\`\`\``,
  );
  expect(shown(room - 13)).not.toContain('Parameters:');
  expect(shown(room - 12)).toContain('What would be executed is too long for a comment.');
  // A part of the parameters follows where 200 characters of them have room.
  const beside = withText(20_000, { executed, sent_with: { note: 'y'.repeat(60_000) } });
  expect(beside).toContain('Parameters:\n\n```\n{\n "arguments"');
  expect(beside.length).toBeGreaterThan(most - 60);
  const tooLong = withText(most, { executed });
  expect(tooLong).toContain('What would be executed is too long for a comment.');
  expect(tooLong).not.toContain('/approve');
  expect(tooLong).toContain('- `/deny');
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
