import fc from 'fast-check';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { codePoint } from '../../../test/support/code-point.ts';
import { runs } from '../../../test/support/extent.ts';
import { approvalId, sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { questionDigest } from '../notice.ts';
import { codeBlock, codeSpan, pullRequestComment, replyComment } from '../pull-request-comment.ts';

const sha = 'a'.repeat(40);
const textOf = (over: Partial<ApprovalRow> = {}) => pullRequestComment(sampleRow(over), sha, 'https://gateway.example');

/**
 * Splits text into code blocks as CommonMark does: a block ends only at the first line that has at least as many
 * backticks as the opening line.
 */
function blocksOf(text: string): { readonly blocks: string[]; readonly outside: string } {
  const blocks: string[] = [];
  const outside: string[] = [];
  let fence = '';
  for (const line of text.split('\n')) {
    const [ticks = ''] = /^ {0,3}(`{3,})[ \t]*$/.exec(line)?.slice(1) ?? [];
    if (fence === '' && ticks !== '') {
      fence = ticks;
      blocks.push('');
    } else if (fence !== '' && ticks.length >= fence.length) fence = '';
    else if (fence !== '') blocks.push(`${blocks.pop()}${line}\n`);
    else outside.push(line);
  }
  return { blocks, outside: outside.join('\n') };
}

/** Strings that try to escape from code formatting: fences, mentions, links, commands, hidden parts. */
const nasty = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '```',
        '`',
        '````\n',
        '\n```\n',
        '~~~',
        '@everyone',
        '<!--',
        '-->',
        '\n/approve x',
        '#1',
        '\u202e',
        '[a](b)',
        '</details>',
      ),
      { maxLength: 300 },
    )
    .map((parts) => parts.join('')),
);

describe('[approval.pr-comment] the comment about a request', () => {
  test('[mcp.placement] shows the server and everything sent with the call', () => {
    const text = textOf({ upstream: 'erp', sent_with: { _meta: { 'com.acme/cost-centre': 'A-17' } } });
    expect(text).toContain(' at erp');
    expect(text).toContain('"com.acme/cost-centre": "A-17"');
  });

  test('names the call, requester, reason, rule, expiry and commit, and explains how to respond', () => {
    const text = textOf({ withheld: ['$.parameters.password'] });
    const digest = questionDigest(sampleRow(), sha);
    for (const part of [
      '**Approval needed before 2026-01-01T00:30:00.000Z**',
      `\`/approve ${approvalId} ${digest}\``,
      `\`/deny ${approvalId} why not\``,
      `at commit ${sha}`,
      `[Details](<https://gateway.example/admin/v1/approvals/${approvalId}>)`,
      'Tool       scm.create_pull_request\nTarget     acme/web\nCapability write\nKey        ci-writer (agent key), owner bob\n',
      'Rule       git:scm.create_* (policy pr-writer, version 1)\nReason     A person looks at pull requests.\n',
      'Risk       session 12, key 20 (calls are blocked at 80)\nWithheld   $.parameters.password\n',
      "Label      not verified, given by the caller: writer\nWhy        in the caller's words: the build is red\n",
      'What the call would do:\n- writes to acme/web (scm.create_pull_request)',
      '{\n "title": "Fix"\n}',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/task-token-value|key-id-1/);
  });

  test('[approval.card] begins with the effect and its risk', () => {
    const text = textOf({ summary: { text: 'Pushes branch `x` to origin', risk: 'sends' } });
    expect(text.startsWith('`` Pushes branch `x` to origin `` **sends out**\n\n**Approval needed before')).toBe(true);
  });

  test.each([
    [{ status: 'approved', person: 'alice', comment: 'fine' }, '**Approved by ` alice `: ` fine `**'],
    [{ status: 'executing', person: 'alice' }, '**Approved by ` alice `**'],
    [{ status: 'denied', person: 'bob', comment: '@all `x`' }, '**Denied by ` bob `: `` @all `x` ``**'],
    [{ status: 'denied', person: 'system', reason: 'timeout' }, '**Timed out: no reviewer decided in time**'],
  ] as const)('a question that has been decided offers no way to answer: %j', (over, headline) => {
    const text = textOf(over);
    expect(text.split('\n')[0]).toBe(headline);
    expect(text).not.toContain('/approve ');
  });

  test('no line begins with a command, so no service treats the question as an answer', () => {
    expect(textOf({ justification: `x\n/approve ${approvalId}` })).not.toMatch(/^\s*\/(approve|deny)/m);
  });
});

describe('[approval.pr-comment] texts of others', () => {
  test("stays in its block, fits, and leaves the gateway's own words unchanged", () => {
    const ours = [{}, { justification: 'x'.repeat(9_000) }].map((over) => blocksOf(textOf(over)).outside);
    fc.assert(
      fc.property(fc.record({ tool: nasty, target: nasty, justification: nasty, body: nasty }), ({ body, ...over }) => {
        const parameters = { body, [over.tool]: 1 };
        const text = textOf({ ...over, actor: { agent: over.tool, session: 's1' }, parameters });
        expect(text.length).toBeLessThanOrEqual(65_536);
        const { blocks, outside } = blocksOf(text);
        expect(ours).toContain(outside);
        expect(blocks).toHaveLength(2);
      }),
      { numRuns: runs(300, 60) },
    );
  });

  test.each([
    ['long parameters', { parameters: { body: 'x'.repeat(200_000) } }],
    ['more runs than a call takes arguments', { parameters: { body: '`x'.repeat(200_000) } }],
    ['backticks without end', { parameters: { body: '`'.repeat(200_000) } }],
    ['long everything', { target: 'é'.repeat(9000), justification: '`'.repeat(9000), withheld: ['y'.repeat(9000)] }],
  ])('%s: content that does not fit is left out, and the comment says so', (_, over) => {
    const text = textOf(over);
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/… \(\d+ more characters\)/);
    expect(blocksOf(text).blocks).toHaveLength(2);
    expect(text).not.toContain('/approve');
    expect(text).toContain(`/deny ${approvalId}`);
  });

  test('parameters that fit can be read back exactly', () => {
    const parameters = { command: 'echo `id` && cat <file> ```` @all' };
    expect(JSON.parse(blocksOf(textOf({ parameters })).blocks[1]!)).toEqual(parameters);
  });

  test('a block never exceeds its limit, and a span stays on one line in its own fence', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 60, max: 400 }), (text, room) => {
        expect(codeBlock(text, room).length).toBeLessThanOrEqual(room);
        expect(blocksOf(codeBlock(text, 5000))).toMatchObject({ blocks: [expect.any(String)], outside: '' });
        const span = codeSpan(text, 100);
        const [, fence = '', inside = ''] = /^(`+) (.*) \1$/s.exec(span) ?? ['', '`', ''];
        expect(span === '—' || inside !== '').toBe(true);
        expect(inside).not.toContain('\n');
        expect((inside.match(/`+/g) ?? []).filter(({ length }) => length === fence.length)).toEqual([]);
      }),
    );
  });

  test('a reply mentions no account except that of the author it replies to', () => {
    expect(replyComment('alice', 'Not decided: @everyone ``` x')).toBe(
      '@alice:\n\n````\nNot decided: @everyone ``` x\n````',
    );
  });
});
