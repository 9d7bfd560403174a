/** A vote by pull-request comment: everything that is looked at before it counts, and what its writer is answered. */
import { voteByComment } from '#core/approvals/comment-vote.ts';
import { DeliveryRefused } from '#core/approvals/notifications/deliver.ts';
import { type Notice, questionDigest, receiptOf, textDigest } from '#core/approvals/pull-requests.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import { approvalRow, approvalsWorld, at } from './sample.ts';

const id = '00000000-0000-4000-8000-000000000001';
const head = 'c'.repeat(40);
const question = 'May it be merged?';
const notice: Notice = {
  at: { repository: 'acme/web', number: 7 },
  ...{ comment_id: '11', head_sha: head, text_sha256: textDigest(question), whole: 'true' },
};
const snapshot = {
  configuration: {
    people: [
      { id: 'alice', role: 'operator', tenants: ['*'], github_login: 'alice-gh', name: 'Alice' },
      { id: 'bob', role: 'operator', tenants: ['*'], github_login: 'bob-gh' },
      { id: 'vera', role: 'viewer', tenants: ['*'], github_login: 'vera-gh' },
    ],
    ...{ tenants: [], organizations: [], separation_rules: [] },
    approvals: {
      timeout_seconds: 600,
      channels: { github: { enabled: true, repositories: ['acme/*'] }, slack: { enabled: false } },
    },
  },
  identities: { byKeyId: new Map() },
} as unknown as Snapshot;

interface Asked {
  readonly row?: Partial<ApprovalRow>;
  readonly text?: string;
  readonly login?: string;
  readonly on?: { repository?: string; number?: number };
  readonly permission?: string | Error;
  readonly head?: string;
  readonly question?: string | undefined;
  readonly receipt?: Record<string, string> | undefined;
  readonly seen?: boolean;
}

function said(asked: Asked = {}) {
  const row = approvalRow({ envelope_id: id, tool: 'scm.merge_pull_request', ...asked.row });
  const world = approvalsWorld(row);
  world.pass(60);
  const looked: unknown[] = [];
  const taken: unknown[] = [];
  const host = {
    permission: async (...given: unknown[]) => {
      looked.push(['permission', ...given]);
      if (asked.permission instanceof Error) throw asked.permission;
      return asked.permission ?? 'write';
    },
    head: async (...given: unknown[]) => {
      looked.push(['head', ...given]);
      return asked.head ?? head;
    },
    textOf: async (...given: unknown[]) => {
      looked.push(['textOf', ...given]);
      return 'question' in asked ? asked.question : question;
    },
  };
  const deliveries = {
    ...world.ports.deliveries,
    get: async (wanted: string) => {
      looked.push(['get', wanted]);
      return { receipt: 'receipt' in asked ? asked.receipt : receiptOf(notice) };
    },
    seen: async (...given: unknown[]) => {
      taken.push(given);
      return asked.seen ?? true;
    },
  };
  const written = {
    ...{ id: '12', repository: 'acme/web', number: 7, login: asked.login ?? 'Alice-GH' },
    text: asked.text ?? `/approve ${id}`,
    ...asked.on,
  };
  const ports = { ...world.ports, host, deliveries, termsNow: async () => undefined } as never;
  return { ...world, row, looked, taken, heard: () => voteByComment(ports, snapshot, written) };
}

test('a comment without a command is none, and nothing is looked at', async () => {
  const { heard, looked, taken } = said({ text: 'looks good' });
  expect(await heard()).toBeUndefined();
  expect([looked, taken]).toEqual([[], []]);
});

test('[approval.pr-comment] an approval is counted as the person’s, with where it was given', async () => {
  const { heard, commits, rows, looked, taken, done } = said();
  expect(await heard()).toEqual({ decided: true, text: 'scm.merge_pull_request: approved by alice.', known: true });
  expect(rows.get(id)).toMatchObject({ status: 'approved', use_expires_at: at(660), reviewer: 'Alice', comment: '' });
  expect(commits[0]?.draft).toMatchObject({
    actor: { key_id: 'github:alice-gh', person: 'alice' },
    body: { channel: 'github', given_on: { pull_request: 'acme/web#7', comment_id: '12', head_sha: head } },
  });
  expect(looked).toEqual([
    ['get', `${id}#submitted#github`],
    ['permission', 'acme/web', 'Alice-GH'],
    ['head', notice.at],
    ['textOf', 'acme/web', '11'],
  ]);
  expect(taken).toEqual([['github#12', at(1800 + 900)]]);
  expect(done('enqueue')).toEqual([['enqueue', `${id}#approved#github`]]);
});

test('a denial needs neither the commit nor the question as they were', async () => {
  const { heard, looked, rows } = said({ text: `/deny ${id} not now`, head: 'd'.repeat(40), question: undefined });
  expect(await heard()).toMatchObject({ decided: true, text: 'scm.merge_pull_request: denied by alice.' });
  expect(rows.get(id)).toMatchObject({ status: 'denied', comment: 'not now' });
  expect(looked).toHaveLength(2);
});

test('an approval among several counts, and its writer hears what is still needed', async () => {
  const { heard, rows } = said({ row: { requires: [{ rule: 'two-people', approvals: 2 }] } });
  expect(await heard()).toEqual({
    ...{ decided: true, known: true },
    text: 'scm.merge_pull_request: the approval counts. It needs 1 more approval (two-people), 1 of 2 given.',
  });
  expect(rows.get(id)?.votes).toMatchObject([{ person: 'alice', role: 'operator' }]);
});

describe('not counted, and the comment is taken', () => {
  test.each<[string, Asked, RegExp]>([
    ['a login of no person', { login: 'eve' }, /not mapped to a person/],
    ['a person without the role', { login: 'vera-gh' }, /Found role viewer/],
    ['the person whose key asked', { login: 'bob-gh' }, /bob made this request or owns the key/],
    ['a decided approval', { row: { status: 'denied', person: 'carol' } }, /already denied \(by carol\)/],
    ['another pull request', { on: { number: 8 } }, /was not requested on this pull request/],
    ['another repository', { on: { repository: 'acme/ops' } }, /was not requested on this pull request/],
    ['an approval without a question', { receipt: undefined }, /was not requested on this pull request/],
    ['a question that lacks a part', { receipt: { repository: 'acme/web', number: '7' } }, /was not requested/],
    [
      'an approval where the question showed a part of the call [approval.whole-or-deny]',
      { receipt: { ...receiptOf(notice), whole: 'false' } },
      /the question is too small to show all of this call/,
    ],
    [
      'a read permission',
      { permission: 'read' },
      /Found permission read at acme\/web; allowed to vote: write, maintain, admin/,
    ],
    [
      'a push since',
      { head: 'd'.repeat(40) },
      /asked at commit c{40} and the pull request is at d{40} now: a push voids the question\. Deny it, or decide over HTTP or with agentctl\.$/,
    ],
    ['a deleted question', { question: undefined }, /deleted since it was asked/],
    ['an edited question', { question: `${question} Please.` }, /edited since it was asked/],
    [
      'another digest',
      { text: `/approve ${id} 0123456789ab` },
      /digest in the comment belongs to another call or commit/,
    ],
    ['more than the id', { text: `/approve ${id} please` }, /Found more than the id/],
  ])('%s', async (_what, asked, message) => {
    const { heard, commits, taken } = said(asked);
    const answer = await heard();
    expect(answer).toMatchObject({ decided: false, text: expect.stringMatching(/^Not decided: /) });
    expect(answer?.text).toMatch(message);
    expect(commits).toEqual([]);
    expect(taken).toHaveLength(1);
  });

  test.each(['write', 'maintain', 'admin'])('the permission %s is enough', async (permission) => {
    expect(await said({ permission }).heard()).toMatchObject({ decided: true });
  });

  test('an edit of line ends and of blanks around it is not an edit of the question', async () => {
    expect(await said({ question: `\r\n${question}\r\n` }).heard()).toMatchObject({ decided: true });
  });

  test('the digest of this call and commit counts', async () => {
    const digest = questionDigest(approvalRow({ envelope_id: id, tool: 'scm.merge_pull_request' }), head);
    expect(await said({ text: `/approve ${id} ${digest.toUpperCase()}` }).heard()).toMatchObject({ decided: true });
  });
});

test('an approval of another gateway is not known, and strangers learn nothing of it', async () => {
  const other = id.replace(/1$/, '2');
  const { heard, taken } = said({ text: `/approve ${other}` });
  expect(await heard()).toEqual({ decided: false, known: false, text: expect.stringContaining(other) });
  expect(taken).toEqual([['github#12', at(60 + 900)]]);
  const stranger = said({ login: 'eve', row: { status: 'denied' } });
  const answer = await stranger.heard();
  expect(answer?.known).toBe(false);
  expect(answer?.text).not.toMatch(/denied/);
});

test('a comment that was taken before is a conflict', async () => {
  const { heard, commits } = said({ seen: false });
  await expect(heard()).rejects.toMatchObject({ code: 'conflict' });
  expect(commits).toEqual([]);
});

describe('a host that cannot be asked is not a refusal: the comment may be delivered again', () => {
  test.each<[string, Error, RegExp, number | undefined]>([
    ['a fault of the service', new ServiceFault('unreachable', 'it is down'), /\(it is down\)/, undefined],
    ['a limit', new DeliveryRefused('slow down', 30), /\(slow down\)/, 30],
    ['anything else', new Error('secret detail'), /\(it failed\)/, undefined],
  ])('%s', async (_what, permission, message, retryAfterSeconds) => {
    const { heard, taken, commits } = said({ permission });
    const work = heard();
    await expect(work).rejects.toMatchObject({
      code: 'service_unavailable',
      cause: permission,
      ...(retryAfterSeconds && { retryAfterSeconds }),
    });
    await expect(work).rejects.toThrow(message);
    expect([taken, commits]).toEqual([[], []]);
  });
});

test('a fault of the ledger is not an answer to the writer', async () => {
  const { heard, before } = said();
  before.push(() => {
    throw new Error('the store is down');
  });
  await expect(heard()).rejects.toThrow('the store is down');
});
