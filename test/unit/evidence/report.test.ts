import type { Verification } from '#core/contracts/evidence.ts';
import { escapeMarkdown, markdownReport } from '#core/evidence/report.ts';
import { escapeHtml, htmlReport } from '#core/evidence/report-html.ts';
import { draft, drafts, sealedSession, textOf } from './sample.ts';

const valid: Verification = { valid: true, total_entries: 5, not_checked: ['origin not checked'] };
const broken: Verification = { ...valid, valid: false, broken_link: { index: 3, reason: 'the entry was altered' } };

async function reports(from = drafts, verification = valid) {
  const { manifest, entries } = await sealedSession(from);
  return {
    markdown: await textOf(markdownReport(manifest, entries, verification)),
    html: await textOf(htmlReport(manifest, entries, verification)),
  };
}

test('[evidence.report] the report contains the full history of an action', async () => {
  const { markdown } = await reports();
  expect(markdown).toMatch(/^# Session s-1\n\n> \*\*VALID\.\*\* The chain is intact: 5 entries/);
  for (const told of [
    '> Not checked: origin not checked.',
    '- **Entries:** 5: 1 review, 1 approve, 1 allow, 1 result, 1 credential',
    '### scm.create_pull_request → acme/payments: executed',
    '- **Asked by:** key key-1, calling itself claude',
    '- **Decision:** review at 2026-01-02T03:04:01.678Z, by rule git:scm.create\\_\\*',
    '- **Approved:** by alice at 2026-01-02T03:04:02.678Z via cli',
    '- **Comment:** looks right',
    '- **Credential:** scm_app_jwt for pull_requests:write,contents:read, from broker scm, expires',
    '- **Result:** executed at 2026-01-02T03:04:04.678Z',
    '"title": "Fix rounding"',
    '"pr_number": 7',
  ]) {
    expect(markdown).toContain(told);
  }
  expect(markdown.split('\n').filter((line) => /^\| \d/.test(line))).toHaveLength(5);
});

test('[evidence.report] the report is one page without scripts or external resources, and its links stay within it', async () => {
  const { html } = await reports();
  expect(html).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  expect(html).toContain("content=\"default-src 'none'; style-src 'unsafe-inline'\"");
  expect(html).not.toMatch(
    /<(?:script|link|img|iframe|form|base)\b|<a (?!href="#action-\d+">)|\bon\w+=|url\(|@import/i,
  );
  expect(html).toContain('prefers-color-scheme: dark');
  expect(html).toContain('<p class="verdict valid"><strong>Valid.</strong>');
  expect(html).toContain('<dt>Comment</dt><dd>looks right</dd>');
});

test('a broken chain is reported first, with position and reason', async () => {
  const { markdown, html } = await reports(drafts, broken);
  expect(markdown).toContain('> **INVALID.** The chain is broken at entry 3: the entry was altered.');
  expect(html).toContain('<p class="verdict invalid"><strong>Invalid.</strong> The chain is broken at entry 3');
});

const hostile =
  "</pre><script>alert(1)</script>\" onload='x' | `code` ``` \n# Heading\n[link](javascript:x) ![i](http://e.vil) @alice www.e.vil *b* ~~s~~ \u202e\u001b[31m";
const hostileDrafts = [
  draft(
    'review',
    {
      protocol: hostile,
      tool: hostile,
      target: hostile,
      capability: hostile,
      parameters: { [hostile]: hostile },
      matched_rule: hostile,
      policy: hostile,
      reason: hostile,
      withheld: [hostile],
    },
    1,
  ),
  draft('approve', { reviewer: hostile, person: `${hostile}!`, comment: hostile, channel: hostile }, 2),
  draft(
    'result',
    {
      outcome: hostile,
      error: hostile,
      credential: { id: hostile, type: hostile, scope: hostile, broker: hostile },
      result: hostile,
    },
    3,
  ),
  draft('admin', { action: hostile, [hostile]: hostile }, 4),
].map((each) => ({ ...each, envelope_id: hostile, session_id: hostile, actor: { key_id: hostile, agent: hostile } }));

test('[evidence.report] hostile text is shown as plain text', async () => {
  const { html, markdown } = await reports(hostileDrafts, { ...broken, broken_link: { index: 0, reason: hostile } });
  expect(html).not.toMatch(/<script|<\/pre><|onload='/);
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39;');
  const tags = new Set([...html.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag));
  expect([...tags].sort()).toEqual(
    'a body br code dd details div dl dt h1 h2 h3 h4 head html main meta p pre small span strong style summary table tbody td th thead title tr'.split(
      ' ',
    ),
  );
  expect(html).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
  const prose = markdown
    .replace(/^(`{3,})json\n[\s\S]*?\n\1$/gm, '')
    .replace(/(?<!\\)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
  expect(prose).not.toMatch(/<script|(?<!\\)\]\(|@alice|www\.|:\/\/|(?<!\\)~/);
  expect(markdown).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
  expect(markdown.split('\n').filter((line) => line.startsWith('#'))).toHaveLength(5);
  const rows = markdown.split('\n').filter((line) => /^\| \d/.test(line));
  for (const row of rows) expect(row.match(/(?<!\\)\|/g)).toHaveLength(7);
});

test.each([
  ['block', { tool: 't' }, 'blocked'],
  ['deny', { reviewer: 'system', reason: 'timeout' }, 'timed out'],
  ['deny', { reviewer: 'alice' }, 'denied'],
  ['review', {}, 'waiting for approval'],
  ['approve', {}, 'approved, not yet used'],
  ['allow', { execution: 'not_executed' }, 'allowed, not executed'],
  ['result', { outcome: 'unknown' }, 'unknown'],
] as const)('an action that ends in %s %j is reported as %s', async (kind, body, outcome) => {
  expect((await reports([draft(kind, body, 1)])).markdown).toContain(`: ${outcome}\n`);
});

describe('an approval is reported together with the call that used it', () => {
  const of = (envelope_id: string, kind: Parameters<typeof draft>[0], body: object) => ({
    ...draft(kind, { ...body }, 1),
    envelope_id,
  });
  const asked = [of('a-1', 'review', { tool: 't' }), of('a-1', 'approve', { reviewer: 'alice' })];
  test.each([
    [
      'by a chat',
      [of('b-2', 'allow', { approval_ref: 'a-1' }), of('b-2', 'chat', { approval_ref: 'a-1', outcome: 'completed' })],
      'completed',
    ],
    [
      'by a tool call',
      [of('b-2', 'allow', { approval_ref: 'a-1' }), of('b-2', 'result', { approval_ref: 'a-1', outcome: 'failed' })],
      'failed',
    ],
    ['by a call without an outcome', [of('b-2', 'allow', { approval_ref: 'a-1' })], 'no outcome recorded'],
  ])('%s', async (_, used, outcome) => {
    const { markdown, html } = await reports([...asked, ...used]);
    expect(markdown).toContain(`### t: approved and used: ${outcome}\n`);
    expect(markdown).toContain('- **Used by:** `b-2`');
    expect(html).toContain('<dt>Used by</dt><dd><a href="#action-2"><code>b-2</code></a></dd>');
    expect(html).toContain('<dt>Approval used</dt><dd><a href="#action-1"><code>a-1</code></a></dd>');
  });

  test('an approval is not counted as used by an unrelated call, or as unused if the report does not show every entry', async () => {
    const other = of('b-2', 'chat', { approval_ref: 'a-9', outcome: 'completed' });
    expect((await reports([...asked, other])).markdown).toContain('### t: approved, not yet used\n');
    const many = Array.from({ length: 2_003 }, (_, n) => of(`c-${n}`, 'chat', { model: 'mock' }));
    expect((await reports([...asked, ...many])).markdown).toContain(
      '### t: approved; no use among the entries shown\n',
    );
  });
});

test('the voter is listed before the name they entered', async () => {
  const { markdown } = await reports([draft('approve', { reviewer: 'The Boss', person: 'alice' }, 1)]);
  expect(markdown).toContain('by alice (as “The Boss”)');
});

test('[evidence.report] rows link to their actions, long lists of actions start collapsed, and a chat stopped by a policy is marked as blocked', async () => {
  const chats = (count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...draft('chat', { model: 'mock', outcome: n === 0 ? 'blocked' : 'completed' }, n),
      envelope_id: `c-${n}`,
    }));
  const few = (await reports(chats(25))).html;
  expect(few.match(/<details open>/g)).toHaveLength(25);
  expect(few.match(/<span class="kind block">chat<\/span>/g)).toHaveLength(1);
  expect(few.match(/<span class="kind chat">chat<\/span>/g)).toHaveLength(24);
  const { html, markdown } = await reports(chats(26));
  expect(html).not.toContain('<details open>');
  const places = [...html.matchAll(/<div id="(action-\d+)">/g)].map(([, place]) => place);
  expect([...html.matchAll(/<td><a href="#(action-\d+)">/g)].map(([, place]) => place)).toEqual(places);
  expect(new Set(places).size).toBe(26);
  expect(html).toMatch(/<dt>First entry at<\/dt><dd>2026-[^<]+<\/dd>/);
  expect(markdown).toMatch(/- \*\*First entry at:\*\* 2026-/);
});

test('escaping', () => {
  expect(escapeMarkdown('scm.get_file _x_ a__b')).toBe('scm.get_file \\_x\\_ a\\_\\_b');
  expect(escapeMarkdown('a|b`c[d](e)<f>&g\nh')).toBe('a\\|b\\`c\\[d\\](e)&lt;f&gt;&amp;g h');
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;');
});
