import fc from 'fast-check';
import { slackMessage } from '#core/approvals/slack-message.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalId, sampleRow } from '../notifications/sample.ts';

interface Section {
  readonly text: { readonly text: string };
}
interface Actions {
  readonly elements: readonly Readonly<Record<string, unknown>>[];
}

const link = 'https://gateway.example';
const message = (over: Partial<ApprovalRow> = {}) => slackMessage(sampleRow(over), link);
const textOf = (over: Partial<ApprovalRow> = {}) => (message(over).blocks[0] as Section).text.text;

describe('the message of a request', () => {
  test('[notify.slack-buttons] two buttons whose value is the id and nothing else', () => {
    const { elements } = message().blocks[1] as unknown as Actions;
    expect(elements.map(({ action_id, value }) => [action_id, value])).toEqual([
      ['approve', approvalId],
      ['deny', approvalId],
    ]);
    for (const element of elements)
      expect(Object.keys(element).sort()).toEqual(['action_id', 'style', 'text', 'type', 'value']);
  });

  test('says what, by whom, why, under which rule, until when, and where to look', () => {
    const text = textOf({ withheld: ['$.parameters.password'] });
    for (const part of [
      'Approval needed before 2026-01-01T00:30:00.000Z',
      '`scm.create_pull_request` on `acme/web`, capability `write`',
      'Asked by `writer` in session `s1`, rule `git:scm.create_*`',
      'Why: `the build is red`',
      'Withheld as sensitive: `$.parameters.password`',
      `<https://gateway.example/admin/v1/approvals/${approvalId}|details>`,
      '"title": "Fix"',
    ])
      expect(text).toContain(part);
    expect(JSON.stringify(message())).not.toMatch(/task-token-value|key-id-1/);
  });

  test.each([
    [{ status: 'approved', person: 'alice', comment: 'fine' }, 'Approved by alice: fine'],
    [{ status: 'executing', person: 'alice' }, 'Approved by alice'],
    [{ status: 'denied', person: 'bob' }, 'Denied by bob'],
    [{ status: 'denied', person: 'system', reason: 'timeout' }, 'Denied: nobody decided in time'],
  ] as const)('once decided there are no buttons: %j', (over, headline) => {
    const { blocks, text } = message(over);
    expect(blocks).toHaveLength(1);
    expect(text).toContain(headline);
    expect(textOf(over)).toContain(`*${headline}*`);
  });

  test('truncated parameters say how much is missing, and the link stays', () => {
    const text = textOf({ parameters: { body: '<&>'.repeat(4000) } });
    expect(text).toMatch(/… \(\d+ more characters, see details\)```$/);
    expect(text).toContain('|details>');
  });

  test('what cannot be seen is spelled out', () => {
    expect(textOf({ target: 'acme/\u202ebew' })).toContain('acme/\\u{202e}bew');
  });

  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc
      .array(fc.constantFrom('<!channel>', '```', '`', '&', '*Approved*', '\n*Tool* `ls`', '<http://x|y>', '\u202e'), {
        maxLength: 400,
      })
      .map((parts) => parts.join('')),
  );

  test('whatever an agent writes: no mention, no link, no line of its own, and it fits', () => {
    fc.assert(
      fc.property(fc.record({ tool: nasty, target: nasty, justification: nasty, body: nasty }), ({ body, ...over }) => {
        const row = { ...over, actor: { agent: over.tool, session: 's1' }, parameters: { body } };
        const text = textOf(row);
        expect(text.length).toBeLessThanOrEqual(3000);
        expect(text.match(/</g)).toHaveLength(1);
        expect(text.match(/```/g)).toHaveLength(2);
        expect(text.replaceAll(/&(amp|lt|gt);/g, '')).not.toContain('&');
        const [lines = '', parameters = ''] = text.split('\nParameters:\n');
        expect(lines.split('\n')).toHaveLength(over.justification === '' ? 4 : 5);
        expect(lines.replaceAll(/`[^`\n]+`/g, '')).not.toContain('`');
        expect(parameters.slice(3, -3)).not.toContain('`');
        expect(message(row).text).not.toContain('<');
      }),
      { numRuns: 300 },
    );
  });

  test('parameters that fit can be read back exactly', () => {
    const parameters = { command: 'echo `id` && cat <file>' };
    const shown = textOf({ parameters }).split('```')[1]!;
    const plain = shown.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
    expect(JSON.parse(plain)).toEqual(parameters);
  });
});
