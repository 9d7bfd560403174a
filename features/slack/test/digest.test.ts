/** The digest of pending requests as a Slack message. */
import { digestOf } from '#core/approvals/notifications/digest.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { slackDigest } from '../digest.ts';

const at = Date.UTC(2026, 0, 1, 0, 10);
const waiting = (all: readonly ApprovalRow[]) => ({
  list: async () => ({ items: all }),
  pendingKeys: async () => all.map(({ key_id }) => key_id),
});

test('[notify.digest] a digest counts requests by rule', async () => {
  const rows = Array.from({ length: 12 }, (_, i) => sampleRow({ matched_rule: `r${i % 10}` }));
  const digest = await digestOf(waiting(rows), 'default', at);
  const shown = JSON.stringify(slackDigest(digest, { linkBase: 'https://a.example' }));
  expect(shown).toContain('• 2 by `r1` of `pr-writer`\\n');
  expect(shown).toContain('• 2 by other rules');
});

test('[notify.digest] a digest explains how to decide, and callers can add neither formatting nor mentions', async () => {
  const hostile = sampleRow({ tool: '<!channel>`*x*', target: 'a\nb' });
  const digest = await digestOf(waiting([hostile]), 'default', at);
  const message = slackDigest(digest, { linkBase: 'https://a.example' });
  const text = JSON.stringify(message);
  expect(message.text).toBe('1 request is pending approval (risk: 1 medium), and the first one expires in 20 min');
  expect(text).toContain('<https://a.example/admin/v1/approvals|how to decide>');
  expect(text).toContain('`agentctl pending`');
  expect(text).toContain('`&lt;!channel&gt;\\\\u{60}*x*` on `a b`');
  expect(text).not.toContain('"type":"actions"');
  expect(text).not.toContain('other rules');
  const links = { linkBase: 'https://a.example', consoleUrl: 'https://a.example/console/' };
  expect(JSON.stringify(slackDigest(digest, links))).toContain('<https://a.example/console/#/approvals|web console>');
});
