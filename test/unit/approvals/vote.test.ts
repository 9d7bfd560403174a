/** What a vote writes: the entry, the move of the row and its conditions; and what happens where another writer is faster. */

import { expire } from '#core/approvals/expire.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalRow, at } from './sample.ts';
import { ballot, expectConflict, vote, world } from './voting.ts';

describe('one vote', () => {
  test('a channel or a clock that fails does not undo the decision', async () => {
    const { ports, logged, row } = world(approvalRow({ task_token: 'token' }));
    const fails = () => Promise.reject(new Error('down'));
    const broken = { ...ports, deliveries: { enqueue: fails }, approvalClock: { settle: fails } } as never;
    expect(await decideApproval(broken, row, vote())).toMatchObject({ status: 'approved' });
    expect(logged).toEqual([
      ['approval notification postponed', { envelope_id: 'e1', error: 'down' }],
      ['approval clock postponed', { envelope_id: 'e1', error: 'down' }],
    ]);
  });
});
describe('[approval.vote-after-expiry] time', () => {
  test('time that ends while another vote is written has decided, although the vote came in time', async () => {
    const { ports, row, rows, before, pass } = world(
      approvalRow({ expires_at: at(90), vote_count: 1, votes: [] } as never),
    );
    const team = { ballot: ballot('alice'), requires: [{ rule: 'two', approvals: 2 }] };
    before.push(() => {
      pass(60);
      rows.set('e1', { ...row, vote_count: 2 });
    });
    await expectConflict(
      decideApproval(ports, row, vote({ separation: team as never })),
      /has timed out: no reviewer decided in time/,
    );
    expect(rows.get('e1')).toMatchObject({ status: 'denied', reason: 'timeout' });
  });

  test('a time-out after a vote answers the row as the vote left it; without a row it fails', async () => {
    const { ports, row, rows } = world();
    await decideApproval(ports, row, vote());
    expect(await expire(ports, rows.get('e1')!, [])).toMatchObject({ status: 'approved', person: 'alice' });
    rows.clear();
    await expect(expire(ports, row, [])).rejects.toMatchObject({ code: 'not_found' });
  });
});
describe('what was decided stays decided', () => {
  test.each<[Partial<ApprovalRow>, RegExp]>([
    [{ status: 'approved', person: 'carol' }, /already approved \(by carol\)/],
    [{ status: 'denied', reason: 'timeout', person: 'system' }, /has timed out: no reviewer decided in time/],
    [{ status: 'consumed' }, /already consumed \(by another vote\)/],
  ])('a vote on a row that is %j is a conflict', async (over, message) => {
    const { ports, row, commits } = world(approvalRow(over));
    for (const verdict of ['approve', 'deny'] as const)
      await expectConflict(decideApproval(ports, row, vote({ verdict })), message);
    expect(commits).toEqual([]);
  });

  test('a row that shows another call than its digest covers can be denied, not approved', async () => {
    const { ports, row, commits } = world({ ...approvalRow(), parameters: { number: 8 } });
    await expectConflict(decideApproval(ports, row, vote()), /another call than its digest covers/);
    expect(commits).toEqual([]);
    expect(await decideApproval(ports, row, vote({ verdict: 'deny' }))).toMatchObject({ status: 'denied' });
  });
});
