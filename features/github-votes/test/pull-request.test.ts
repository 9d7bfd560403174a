/** The pull request, if any, on which an approval is requested. */
import { parsePullRequest, samePullRequest } from '#core/contracts/repository.ts';
import { sampleRow } from '../../../test/unit/approvals/notifications/sample.ts';
import { hasPullRequest, pullRequestOf } from '../pull-request.ts';

const call = (parameters: Record<string, unknown>, over = {}) =>
  sampleRow({ tool: 'scm.update_pull_request', target: 'acme/web', parameters, ...over });
const listed = { repositories: ['acme/*'] };
const fixed = { repositories: [], pull_request: 'acme/ops#3' };
const ops = { repository: 'acme/ops', number: 3 };

describe('[approval.pr-comment] the pull request that a call belongs to', () => {
  test.each([
    ['the number of a pull request tool', call({ number: 7 })],
    ['pull_number', call({ pull_number: 7 }, { tool: 'scm.merge' })],
    ['pullNumber', call({ pullNumber: 7 }, { tool: 'scm.merge' })],
  ])('is identified by %s', (_, row) => {
    expect(pullRequestOf(row, listed)).toEqual({ repository: 'acme/web', number: 7 });
  });

  test.each([
    ['no number', call({})],
    ['the number of an issue', call({ number: 7 }, { tool: 'scm.create_issue_comment' })],
    ['a number in words', call({ number: '7' })],
    ['no whole number', call({ number: 7.5 })],
    ['zero', call({ number: 0 })],
    ['a withheld number', call({ number: { redacted: 'sha256-salted' } })],
    ['another protocol', call({ number: 7 }, { protocol: 'mcp' })],
    ['a target that is no repository', call({ number: 7 }, { target: 'acme/web/../../user' })],
    ['a repository that is not listed', call({ number: 7 }, { target: 'evil/public' })],
  ])('a call with %s has no pull request of its own: the fixed one is used, if configured', (_, row) => {
    expect(pullRequestOf(row, listed)).toBeUndefined();
    expect(pullRequestOf(row, { ...fixed, repositories: ['acme/*'] })).toEqual(ops);
  });

  test('repository names are compared case-insensitively, as the host does', () => {
    expect(pullRequestOf(call({ number: 7 }, { target: 'Acme/Web' }), listed)).toBeDefined();
    expect(samePullRequest({ repository: 'Acme/Web', number: 7 }, { repository: 'acme/web', number: 7 })).toBe(true);
    expect(samePullRequest({ repository: 'acme/web', number: 8 }, { repository: 'acme/web', number: 7 })).toBe(false);
  });

  test('an agent cannot choose the pull request if no repositories are listed', () => {
    expect(pullRequestOf(call({ number: 7 }), fixed)).toEqual(ops);
  });

  test.each(['acme/web', 'acme/web#0', 'acme/web#', 'web#1', 'acme/../x#1', 'acme/web#1234567890', 'acme/web#1 '])(
    '%p does not name a pull request',
    (text) => expect(parsePullRequest(text)).toBeUndefined(),
  );

  test('a call without a pull request is not queued for this channel', () => {
    const channels = (github?: object) => ({ approvals: { channels: { github } } }) as never;
    expect(hasPullRequest(channels(listed), call({ number: 7 }))).toBe(true);
    expect(hasPullRequest(channels(listed), call({}))).toBe(false);
    expect(hasPullRequest(channels(), call({ number: 7 }))).toBe(false);
  });
});
