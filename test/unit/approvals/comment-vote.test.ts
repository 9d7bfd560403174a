/** A vote by pull-request comment: what contract/pull-request-comments and -voters do not reach. */
import { voteByComment } from '#core/approvals/comment-vote.ts';
import { DeliveryRefused } from '#core/approvals/notifications/deliver.ts';
import { type Notice, receiptOf, textDigest } from '#core/approvals/pull-requests.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import { approvalRow, approvalsWorld } from './sample.ts';

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
  readonly permission?: string | Error;
  readonly receipt?: Record<string, string> | undefined;
}

function said(asked: Asked = {}) {
  const row = approvalRow({ envelope_id: id, tool: 'scm.merge_pull_request', ...asked.row });
  const world = approvalsWorld(row);
  world.pass(60);
  const taken: unknown[] = [];
  const host = {
    permission: async () => {
      if (asked.permission instanceof Error) throw asked.permission;
      return asked.permission ?? 'write';
    },
    head: async () => head,
    textOf: async () => question,
  };
  const deliveries = {
    ...world.ports.deliveries,
    get: async () => ({ receipt: 'receipt' in asked ? asked.receipt : receiptOf(notice) }),
    seen: async (...given: unknown[]) => {
      taken.push(given);
      return true;
    },
  };
  const written = {
    ...{ id: '12', repository: 'acme/web', number: 7, login: 'Alice-GH' },
    text: `/approve ${id}`,
  };
  const ports = { ...world.ports, host, deliveries, termsNow: async () => undefined } as never;
  return { ...world, taken, heard: () => voteByComment(ports, snapshot, written) };
}

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
