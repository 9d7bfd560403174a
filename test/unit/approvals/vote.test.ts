/** What a vote writes: the entry, the move of the row and its conditions; and what happens where another writer is faster. */

import { expire } from '#core/approvals/expire.ts';
import { shownDigest } from '#core/approvals/shown-call.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalRow, at } from './sample.ts';
import { ballot, expectConflict, vote, world } from './voting.ts';

describe('one vote', () => {
  test('an approval moves the row to approved with a signed entry, and may be used for so many seconds', async () => {
    const { ports, commits, row, rows, gauges } = world();
    const decided = await decideApproval(ports, row, vote({ given_on: { pull_request: 'acme/web#7' } }));
    expect(commits).toEqual([
      {
        draft: {
          ...{ tenant: 't', session_id: 's', timestamp: at(60), kind: 'approve', envelope_id: 'e1' },
          actor: { key_id: 'k-alice', person: 'alice' },
          body: {
            ...{ approval_id: 'e1', status: 'approved', reviewer: 'alice-laptop', person: 'alice', comment: 'fine' },
            ...{ channel: 'http', call_digest: row.call_digest, matched_rule: 'git:scm.*', use_expires_at: at(660) },
            ...{ tool: 'scm.merge', given_on: { pull_request: 'acme/web#7' } },
            ...{ requested_by: 'k', shown_sha256: shownDigest(row) },
            signature: { alg: 'ECDSA_P256_SHA256', key_id: 'vote-key', value: 'signed' },
          },
        },
        changes: [
          {
            ...{ type: 'approval.move', id: 'e1', tenant: 't', from: 'pending', to: 'approved', stampEntry: true },
            set: {
              ...{ reviewer: 'alice-laptop', person: 'alice', comment: 'fine', channel: 'http' },
              ...{ decided_at: at(60), use_expires_at: at(660) },
            },
            where: {},
            after: { attribute: 'expires_at', time: at(60) },
          },
        ],
      },
    ]);
    expect(decided).toEqual({ ...rows.get('e1'), evidence_hash: 'hash-0', evidence_index: 0 });
    expect(gauges).toEqual([['svc_approval_latency_seconds', 60]]);
  });

  test('a denial moves it to denied, without a signature and without a time of use', async () => {
    const { ports, commits, row } = world();
    const federated = { issuer: 'https://idp.example', subject: 'alice' } as never;
    expect(await decideApproval(ports, row, vote({ verdict: 'deny', federated, reason: 'withdrawn' }))).toMatchObject({
      ...{ status: 'denied', reason: 'withdrawn' },
    });
    const [{ draft, changes }] = commits as [(typeof commits)[0]];
    expect(draft).toMatchObject({ kind: 'deny', actor: { issuer: 'https://idp.example', subject: 'alice' } });
    expect(Object.keys(draft.body)).toEqual([
      ...['approval_id', 'status', 'reviewer', 'person', 'comment', 'channel', 'call_digest', 'tool', 'reason'],
    ]);
    expect(changes).toMatchObject([{ to: 'denied', after: { attribute: 'expires_at', time: at(60) } }]);
    expect(changes?.[0]).not.toHaveProperty('set.use_expires_at');
  });

  test('the channels hear of it and the waiting clock is released', async () => {
    const { ports, did, row } = world(approvalRow({ task_token: 'token' }));
    await decideApproval(ports, row, vote());
    expect(did).toEqual([
      ['enqueue', 'e1#approved#slack'],
      ['settle', 'token', { status: 'approved' }],
    ]);
    const denied = world();
    await decideApproval(denied.ports, denied.row, vote({ verdict: 'deny' }));
    expect(denied.did).toEqual([['enqueue', 'e1#denied#slack']]);
  });

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

  test('a secret in the comment is redacted, and its salt is kept', async () => {
    const { ports, commits, row } = world();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await decideApproval(ports, row, vote({ comment: `use ${secret}` }));
    expect(JSON.stringify(commits)).not.toContain(secret);
    expect(commits[0]?.changes?.[1]).toMatchObject({ type: 'salts.put', tenant: 't', id: 'e1#vote' });
  });
});
describe('[approval.vote-after-expiry] time', () => {
  test('a millisecond before the end of the request a vote counts, at its end time has decided', async () => {
    const row = approvalRow({ expires_at: at(60.001) });
    const early = world(row);
    expect(await decideApproval(early.ports, row, vote())).toMatchObject({ status: 'approved' });
    const late = world(approvalRow({ expires_at: at(60) }));
    await expectConflict(decideApproval(late.ports, late.row, vote()), /has timed out: no reviewer decided in time/);
    expect(late.rows.get('e1')).toMatchObject({ status: 'denied', reason: 'timeout', person: 'system' });
  });

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

  test('a time-out needs no time that is left, and says so in its entry', async () => {
    const { ports, commits, row } = world();
    expect(await expire(ports, row, [])).toMatchObject({ status: 'denied', reason: 'timeout' });
    expect(commits[0]?.draft).toMatchObject({
      ...{ kind: 'deny', actor: { key_id: 'system', person: 'system' } },
      body: { reviewer: 'system', comment: '', channel: 'system', reason: 'timeout' },
    });
    expect(commits[0]?.changes?.[0]).not.toHaveProperty('after');
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

  test('another vote between reading and writing is a conflict with its record', async () => {
    const { ports, row, rows, before } = world();
    before.push(() => rows.set('e1', { ...row, status: 'denied', person: 'carol', comment: 'no' }));
    const work = decideApproval(ports, row, vote());
    await expect(work).rejects.toMatchObject({ data: { record: { status: 'denied', comment: 'no' } } });
    await expectConflict(work, /already denied \(by carol\)/);
  });

  test('a row that shows another call than its digest covers can be denied, not approved', async () => {
    const { ports, row, commits } = world({ ...approvalRow(), parameters: { number: 8 } });
    await expectConflict(decideApproval(ports, row, vote()), /another call than its digest covers/);
    expect(commits).toEqual([]);
    expect(await decideApproval(ports, row, vote({ verdict: 'deny' }))).toMatchObject({ status: 'denied' });
  });

  test('a row with withheld values cannot be recomputed, and is approved by its digest', async () => {
    const { ports, row } = world({ ...approvalRow(), parameters: {}, withheld: ['$.number'] });
    expect(await decideApproval(ports, row, vote())).toMatchObject({ status: 'approved' });
  });
});
