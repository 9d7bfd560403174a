/** Slack messages: each message either shows every value of the call in full or does not accept an approval. */
import fc from 'fast-check';
import { runs } from '../../../test/support/extent.ts';
import { hostileCalls, missing } from '../../../test/support/hostile-calls.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { isWholeInSlack, slackMessage } from '../message.ts';

const link = 'https://gateway.example';

/** Decodes the entities as Slack does. In facts and executed text, replaces the backtick substitutes with backticks. */
function plain(mrkdwn: string): string {
  const decoded = mrkdwn.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  return `${decoded}\n${decoded.replaceAll(/\\u\{60\}|\\u0060/g, '`')}`;
}

test('[approval.whole-or-deny] a Slack message shows every value in full; otherwise it has no Approve button and an approving vote does not count', () => {
  fc.assert(
    fc.property(hostileCalls, (over) => {
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
      const executed = sections
        .map((each) => each.replace(/^Executed exactly as shown \(.*\):\n```|```$/g, ''))
        .join('');
      if (isOffered) expect(missing(row, `${plain(sections.join('\n'))}\n${plain(executed)}`)).toEqual([]);
    }),
    { numRuns: runs(200, 40) },
  );
});

test('[approval.whole-or-deny] all member names come first, whatever order the agent wrote them in', () => {
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
