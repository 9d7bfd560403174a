/** Messages about approvals: each shows every value of the call in full, or cannot be answered with an approval. */
import fc from 'fast-check';
import { isWholeInComment, pullRequestComment } from '#core/approvals/pull-request-comment.ts';
import { isWholeInSlack, slackMessage } from '#core/approvals/slack-message.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { spelledText, visibleLines, visibleText } from '#core/text/secrets/visible-text.ts';
import { runs } from '../support/extent.ts';
import { sampleRow } from '../unit/approvals/notifications/sample.ts';

const link = 'https://gateway.example';
const sha = 'a'.repeat(40);
const length = fc.oneof(fc.nat(40), fc.nat(600), fc.nat(4_500), fc.nat(70_000));
const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('`', '```', '<!channel>', '\u3164', '\n', '\\u{60}', '&amp;'),
);
const text = fc
  .tuple(word, length)
  .map(([part, size]) => (part === '' ? '' : part.repeat(Math.ceil(size / part.length))));
const calls: fc.Arbitrary<Partial<ApprovalRow>> = fc.record({
  tool: text,
  target: text,
  session_id: text,
  justification: text,
  parameters: fc.dictionary(word, fc.oneof(text, fc.record({ a: text, b: fc.array(text, { maxLength: 3 }) })), {
    maxKeys: 6,
  }),
  sent_with: fc.option(fc.record({ note: text }), { nil: undefined }),
  executed: fc.constantFrom([], ['$.target'], ['$.parameters']),
});

const leaves = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => [key, ...leaves(item)])
    : [String(value)];

/** Every text of the call, as JSON or as it stands. */
function missing(row: ApprovalRow, shown: string): string[] {
  // An executed target that is too long for the facts is in sections of its own, line by line.
  const isInLines = row.executed?.includes('$.target') === true && shown.includes(visibleLines(row.target));
  const facts = [row.tool, ...(isInLines ? [] : [row.target]), row.session_id, row.justification].filter(
    (each) => !shown.includes(spelledText(each)),
  );
  const values = leaves([row.parameters, row.sent_with ?? {}]).filter(
    (each) => !shown.includes(visibleText(JSON.stringify(each).slice(1, -1))) && !shown.includes(visibleLines(each)),
  );
  return [...facts, ...values];
}

/** With the entities that Slack decodes; and with backticks for what stands for them, in facts and executed texts. */
function plain(mrkdwn: string): string {
  const decoded = mrkdwn.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return `${decoded}\n${decoded.replaceAll(/\\u\{60\}|\\u0060/g, '`')}`;
}

test('[approval.whole-or-deny] a Slack message shows every value whole or has no Approve, and then its vote does not count', () => {
  fc.assert(
    fc.property(calls, (over) => {
      const row = sampleRow(over);
      const { blocks } = slackMessage(row, link);
      const { elements } = blocks.at(-1) as { elements: { action_id: string }[] };
      const isOffered = elements.some(({ action_id }) => action_id === 'approve');
      expect(elements.at(-1)).toMatchObject({ action_id: 'deny' });
      expect(isWholeInSlack(row)).toBe(isOffered);
      expect(blocks.length).toBeLessThanOrEqual(50);
      const sections = (blocks as { text?: { text: string } }[]).flatMap(({ text: shown }) =>
        shown ? [shown.text] : [],
      );
      expect(sections.every((each) => each.length <= 3_000)).toBe(true);
      const executed = sections.map((each) => each.replace(/^Executed as it stands \(.*\):\n```|```$/g, '')).join('');
      if (isOffered) expect(missing(row, `${plain(sections.join('\n'))}\n${plain(executed)}`)).toEqual([]);
    }),
    { numRuns: runs(200, 40) },
  );
});

test('[approval.whole-or-deny] a comment on a pull request shows every value whole or offers no /approve', () => {
  fc.assert(
    fc.property(calls, (over) => {
      const row = sampleRow(over);
      const comment = pullRequestComment(row, sha, link);
      const isOffered = comment.includes(`\n- \`/approve ${row.envelope_id}`) || comment.includes(`\n\n- \`/approve`);
      expect(comment.length).toBeLessThanOrEqual(65_536);
      expect(isWholeInComment(row, sha, link)).toBe(isOffered);
      if (isOffered) expect(missing(row, comment)).toEqual([]);
    }),
    { numRuns: runs(200, 40) },
  );
});

test('[approval.whole-or-deny] the names of all members come first, in whatever order the agent wrote them', () => {
  const parameters = { body: 'x'.repeat(5_000), head: 'feature', base: 'main', force: true };
  const sections = (slackMessage(sampleRow({ parameters }), link).blocks as { text?: { text: string } }[]).map(
    ({ text: shown }) => shown?.text,
  );
  expect(sections.find((each) => each?.startsWith('Parameters:'))).toMatch(
    /^Parameters: `4: "body", "head", "base", "force"`\n(.*\n)```"body": "x+… .*\n"head": "feature"\n"base": "main"\n"force": true```$/,
  );
  const short = slackMessage(sampleRow({ parameters: { ...parameters, body: 'short' } }), link);
  expect((short.blocks.at(-1) as { elements: object[] }).elements).toHaveLength(2);
});

test('[approval.card] fillers, blanks, marks without a letter, selectors: all spelled out; letters, accents and emoji stay', () => {
  for (const char of [
    '\u115f',
    '\u1160',
    '\u3164',
    '\uffa0',
    '\u00ad',
    '\u00a0',
    '\u3000',
    '\u2800',
    '\u034f',
    '\u17b4',
    '\ufffc',
    '\ue000',
    '\u{e0101}',
    '\u{1d159}',
    '\u{13441}',
    '\u{16fe4}',
    '\ufe0f',
    '\u0301',
    '\u180e',
  ])
    expect(visibleText(` ${char}`)).toBe(` \\u{${char.codePointAt(0)!.toString(16)}}`);
  for (const seen of ['Grüße', 'e\u0301', 'हिन्दी', 'ไทยนี้', 'עִבְרִית', '日本語', '⚠\ufe0f', '🇩🇪', '€ → │ ✓', '한국어'])
    expect(visibleText(seen)).toBe(seen);
  expect(new Set(['a b', 'a\nb', 'a\tb', 'a\\u{a}b', 'a\\u{9}b'].map(spelledText)).size).toBe(5);
});
