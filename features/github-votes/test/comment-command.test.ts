/** The command in a comment. */

import { approvalId as id } from '../../../test/unit/approvals/notifications/sample.ts';
import { commandIn } from '../comment-command.ts';

const read = (text: string) => commandIn(text)?.read();
const refusal = expect.objectContaining({ code: 'invalid_request' });

describe('[pr-comment.voter] a command', () => {
  test.each([
    [`/approve ${id}`, { verdict: 'approve', envelope_id: id, comment: '' }],
    [`/approve ${id.toUpperCase()}  \r\nlooks fine`, { verdict: 'approve', envelope_id: id, comment: '' }],
    [`/approve ${id} 0123456789AB`, { verdict: 'approve', envelope_id: id, digest: '0123456789ab', comment: '' }],
    [`/deny ${id}`, { verdict: 'deny', envelope_id: id, comment: '' }],
    [`/deny\t${id}  not on a Friday \nreally`, { verdict: 'deny', envelope_id: id, comment: 'not on a Friday' }],
  ])('%j', (text, command) => {
    expect(read(text)).toEqual(command);
  });

  test.each([
    '',
    'approve it',
    '/approve',
    '/approve no-issue',
    `/approved ${id}`,
    `> /approve ${id}`,
    ` /approve ${id}`,
    `\`/approve ${id}\``,
    `/approve\n${id}`,
    `/approve ${id}0`,
    `/approve ${id.slice(1)}`,
  ])('%j is none', (text) => {
    expect(commandIn(text)).toBeUndefined();
  });

  test.each([
    ['two commands', `/approve ${id}\n/deny ${id}`],
    ['the same twice', `/approve ${id}\r\n/approve ${id}`],
    ['words before it', `Fine.\n/approve ${id}`],
    ['a hidden one', `<!--\n/approve ${id}\n-->`],
    ['a code block', `\`\`\`\n/approve ${id}\n\`\`\``],
    ['no digest after the id', `/approve ${id} please`],
    ['a longer digest', `/approve ${id} 0123456789abc`],
    ['a digest and more', `/approve ${id} 0123456789ab really`],
    ['an endless reason', `/deny ${id} ${'x'.repeat(4097)}`],
  ])('with %s is refused, but still names its approval', (_, text) => {
    expect(commandIn(text)?.envelope_id).toBe(id);
    expect(() => read(text)).toThrow(refusal);
  });

  test('very long runs of blanks do not slow down the parser', () => {
    expect(commandIn(`/approve ${' '.repeat(60_000)}x`)).toBeUndefined();
    expect(read(`/deny ${id} ${' '.repeat(60_000)}\u2028`)).toMatchObject({ comment: '' });
  });
});
