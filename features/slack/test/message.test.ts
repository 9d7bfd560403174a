import fc from 'fast-check';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { codePoint } from '../../../test/support/code-point.ts';
import { runs } from '../../../test/support/extent.ts';
import { approvalId, sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { slackMessage } from '../message.ts';

interface Section {
  readonly text: { readonly text: string };
}
interface Actions {
  readonly elements: readonly Readonly<Record<string, unknown>>[];
}

const link = 'https://gateway.example';
const message = (over: Partial<ApprovalRow> = {}) => slackMessage(sampleRow(over), link);
const sectionsOf = (over: Partial<ApprovalRow> = {}) =>
  message(over).blocks.flatMap((block) => ('text' in block ? [(block as Section).text.text] : []));
const textOf = (over: Partial<ApprovalRow> = {}) => sectionsOf(over).join('\n');

describe('the message about a request', () => {
  test('[slack.confirmed] has two buttons with only the id as their value', () => {
    const { elements } = message().blocks.at(-1) as unknown as Actions;
    expect(elements.map(({ action_id, value }) => [action_id, value])).toEqual([
      ['approve', approvalId],
      ['deny', approvalId],
    ]);
    for (const element of elements)
      expect(Object.keys(element).sort()).toEqual(['action_id', 'style', 'text', 'type', 'value']);
  });

  test('[approval.whole-or-deny] a target that is short, or long but displayed, is shown in full if the call can be approved', () => {
    const target = `${'`'.repeat(66)}; rm -rf ~/work`;
    const text = textOf({ target, executed: ['$.target'], parameters: {} });
    expect(text).toContain(
      `Executed exactly as shown (\`target\`):\n\`\`\`${'\\u{60}'.repeat(66)}; rm -rf ~/work\`\`\``,
    );
    const short = textOf({ target: 'ls', executed: ['$.target'], parameters: {} });
    expect(short).not.toContain('Executed exactly as shown');
  });

  test('names the call, requester, reason, rule, expiry and address', () => {
    const text = textOf({ withheld: ['$.parameters.password'] });
    for (const part of [
      'Approval needed before 2026-01-01T00:30:00.000Z',
      'Tool: `scm.create_pull_request`\nTarget: `acme/web`\nCapability: `write`\nKey: `ci-writer (agent key), owner bob`\n',
      'Rule: `git:scm.create_* (policy pr-writer, version 1)`\nReason: `A person looks at pull requests.`\n',
      'Risk: `session 12, key 20 (calls are blocked at 80)`\nWithheld: `$.parameters.password`\n',
      "Label: `not verified, given by the caller: writer`\nWhy: `in the caller's words: the build is red`",
      'What the call would do:\n• `writes to acme/web (scm.create_pull_request)`',
      `<https://gateway.example/admin/v1/approvals/${approvalId}|details>`,
      '"title": "Fix"',
    ])
      expect(text).toContain(part);
    expect(JSON.stringify(message())).not.toMatch(/task-token-value|key-id-1/);
  });

  test('[approval.card] begins with the effect and its risk, which notifications name too', () => {
    const over = {
      summary: { text: 'Deletes pod `x` in namespace shop <!here>', risk: 'deletes' as const },
      effects: ['Deletes pod x in namespace shop', 'Reads a.txt'],
      effect_risks: ['deletes', 'reads'] as const,
    };
    const first = '`Deletes pod \\u{60}x\\u{60} in namespace shop &lt;!here&gt;` *deletes*\n*Approval needed before';
    expect(textOf(over).startsWith(first)).toBe(true);
    expect(textOf(over)).toContain('• `Reads a.txt (reads)`');
    expect(message(over).text).toMatch(/^Deletes pod `x` in namespace shop &lt;!here&gt; \(deletes\): Approval needed/);
    const one = { ...over, summary: { text: over.effects[0]!, risk: 'deletes' as const }, effects: [over.effects[0]!] };
    expect(textOf(one)).not.toContain('What the call would do');
  });

  test.each([
    [{ status: 'approved', person: 'alice', comment: 'fine' }, 'Approved by alice: fine'],
    [{ status: 'executing', person: 'alice' }, 'Approved by alice'],
    [{ status: 'denied', person: 'bob' }, 'Denied by bob'],
    [{ status: 'denied', person: 'system', reason: 'timeout' }, 'Timed out: no reviewer decided in time'],
  ] as const)('has no buttons once the request is decided: %j', (over, headline) => {
    const { blocks, text } = message(over);
    expect(JSON.stringify(blocks)).not.toContain('"button"');
    expect(text).toContain(headline);
    expect(textOf(over)).toContain(`*${headline}*`);
  });

  const nasty = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 400 }),
    fc
      .array(fc.constantFrom('<!channel>', '```', '`', '&', '*Approved*', '\n*Tool* `ls`', '<http://x|y>', '\u202e'), {
        maxLength: 400,
      })
      .map((parts) => parts.join('')),
  );

  test('any text from an agent fits and cannot create a mention, a link or a line of its own', () => {
    fc.assert(
      fc.property(fc.record({ tool: nasty, target: nasty, justification: nasty, body: nasty }), ({ body, ...over }) => {
        const row = { ...over, actor: { agent: over.tool, session: 's1' }, parameters: { body } };
        const sections = sectionsOf({ ...row, effects: [body, over.tool] });
        const text = sections.join('\n');
        expect(Math.max(...sections.map(({ length }) => length))).toBeLessThanOrEqual(3000);
        expect(text.match(/</g)).toHaveLength(1);
        expect(text.match(/```/g)).toHaveLength(2);
        expect(text.replaceAll(/&(amp|lt|gt);/g, '')).not.toContain('&');
        const [lines = '', parameters = ''] = text.split(/\nParameters:.*\n(?:Their first characters:\n)?/);
        const tail = message(row).blocks.at(-1) as unknown as Actions;
        const isWhole = tail.elements.some(({ action_id }) => action_id === 'approve');
        const without = [over.tool, over.target, over.justification].filter((each) => each === '').length;
        // 2 head blocks, 11 facts, 3 effects. A fact without text is omitted.
        expect(lines.split('\n').length).toBeGreaterThanOrEqual(16 - without);
        expect(lines.split('\n').length).toBeLessThanOrEqual(16);
        expect(lines.replaceAll(/`[^`\n]+`/g, '')).not.toContain('`');
        expect(parameters.slice(3, isWhole ? -3 : parameters.lastIndexOf('```'))).not.toContain('`');
        expect(message(row).text).not.toContain('<');
      }),
      { numRuns: runs(300, 60) },
    );
  });

  test('[mcp.placement] the server, its tool name and everything sent with the call are shown', () => {
    const sent_with = { _meta: { 'com.acme/cost-centre': 'A-17' } };
    const shown = textOf({
      tool: 'one__post',
      upstream: 'one',
      upstream_tool: 'post',
      parameters: { a: 1 },
      sent_with,
    });
    expect(shown).toContain('one__post at one (post there)');
    expect(JSON.parse(shown.split('```')[1]!)).toEqual({ arguments: { a: 1 }, sent_with });
  });

  test('parameters that fit can be read back exactly', () => {
    const parameters = { command: 'echo `id` && cat <file>' };
    const shown = textOf({ parameters }).split('```')[1]!;
    const plain = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    expect(JSON.parse(plain)).toEqual(parameters);
  });
});
