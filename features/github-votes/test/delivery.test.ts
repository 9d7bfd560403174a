/** Webhook deliveries of the Git host: signature and parsed fields. */

import { commentPayload } from '../../../test/support/fake-pull-requests.ts';
import { githubSignature, parseGithubDelivery, verifyGithubDelivery } from '../delivery.ts';

/** The example from GitHub's documentation. */
const documented = {
  rawBody: Buffer.from('Hello, World!'),
  signature: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  secrets: ["It's a Secret to Everybody"],
};

describe('[pr-comment.voter] the signature on a delivery', () => {
  test("GitHub's documented example is accepted, also as the previous of two secrets", () => {
    expect(() => verifyGithubDelivery(documented)).not.toThrow();
    expect(() => verifyGithubDelivery({ ...documented, secrets: ['new', ...documented.secrets] })).not.toThrow();
  });

  test.each([
    ['another secret', { secrets: ['other'] }],
    ['no secret', { secrets: [] }],
    ['another body', { rawBody: Buffer.from('Hello, World?') }],
    ['no signature', { signature: '' }],
    ['a cut signature', { signature: documented.signature.slice(0, -1) }],
    ['upper case', { signature: documented.signature.toUpperCase() }],
    ['the older SHA-1 form', { signature: 'sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59' }],
  ])('%s is refused', (_, over) => {
    expect(() => verifyGithubDelivery({ ...documented, ...over })).toThrow(
      expect.objectContaining({ code: 'authentication_error' }),
    );
  });

  test('covers the raw bytes, including bytes that are not UTF-8', () => {
    expect(githubSignature('s', Buffer.from([0xff]))).not.toBe(githubSignature('s', Buffer.from([0xfe])));
  });
});

const parse = (over: object = {}, event = 'issue_comment') =>
  parseGithubDelivery(event, commentPayload({ text: 'hello', id: 5, ...over }));

describe('[pr-comment.voter] a comment', () => {
  test('reads the author, text and location; unknown fields are ignored', () => {
    expect(parse()).toEqual({ id: '5', repository: 'acme/web', number: 7, login: 'Alice-GH', text: 'hello' });
  });

  test.each([
    ['another event', {}, 'pull_request_review', 'only issue_comment'],
    ['no event', {}, '', 'only issue_comment'],
    ['an edited comment', { over: { action: 'edited' } }, 'issue_comment', 'only new comments'],
    ['a deleted comment', { over: { action: 'deleted' } }, 'issue_comment', 'only new comments'],
    ['a comment on an issue', { over: { issue: { number: 7 } } }, 'issue_comment', 'on pull requests'],
  ])('%s is ignored', (_, over, event, why) => {
    expect(parse(over, event)).toEqual({ ignored: expect.stringContaining(why) });
  });

  const bot = { login: 'helper[bot]', type: 'Bot' };
  const other = { login: 'bob', type: 'User' };
  test.each([
    ['a bot', { commentOver: { user: bot }, over: { sender: bot } }],
    ['a bot, sent by a person', { commentOver: { user: bot } }],
    ['a bot that calls itself a user', { login: 'helper[bot]' }],
    ['an organisation', { commentOver: { user: { login: 'acme', type: 'Organization' } } }],
    ['an app in the name of a person', { commentOver: { performed_via_github_app: { id: 1, slug: 'helper' } } }],
    ['somebody else than the sender', { over: { sender: other } }],
    ['a person, sent by a bot', { over: { sender: bot } }],
  ])('[pr-comment.voter] of %s is ignored', (_, over) => {
    expect(parse(over)).toHaveProperty('ignored');
  });

  test.each([
    ['no action', { over: { action: undefined } }],
    ['no number', { over: { issue: { pull_request: {} } } }],
    ['a deleted account', { commentOver: { user: null } }],
    ['no id', { commentOver: { id: undefined } }],
    ['no text', { commentOver: { body: null } }],
    ['a path for a repository', { repository: 'acme/web/../../user' }],
    ['no sender', { over: { sender: undefined } }],
  ])('a delivery with %s is refused, naming the invalid member', (_, over) => {
    expect(() => parse(over)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  test.each([[null], [[]], ['text'], [{}]])('%j is not a comment', (body) => {
    expect(() => parseGithubDelivery('issue_comment', body)).toThrow('not a comment event');
  });
});
