/** What a vote writes: the entry, the move of the row and its conditions; and what happens where another writer is faster. */
import { shownDigest } from '#core/approvals/shown-call.ts';
import { decideApproval, timeOut } from '#core/approvals/vote.ts';
import type { Vote } from '#core/approvals/vote-entry.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { approvalRow, approvalsWorld, at } from './sample.ts';

const vote = (over: Partial<Vote> = {}): Vote => ({
  ...{ verdict: 'approve', person: 'alice', key_id: 'k-alice', reviewer: 'alice-laptop', comment: 'fine' },
  ...{ channel: 'http', channels: ['slack'], useSeconds: 600 },
  ...over,
});
const ballot = (person: string, teams: string[] = []) => ({ person, teams, role: 'operator' as const });
const by = (person: string, over: Partial<Vote> = {}): Vote =>
  vote({ person, separation: { ballot: ballot(person), requires: [] }, ...over });
const two = [{ rule: 'two-people', approvals: 2 }];

/** The world a minute after the request was queued. */
function world(row: ApprovalRow = approvalRow()) {
  const made = approvalsWorld(row);
  made.pass(60);
  return { ...made, row };
}
const expectConflict = (work: Promise<unknown>, message: RegExp) =>
  expect(work).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(message) });

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
    await expectConflict(decideApproval(late.ports, late.row, vote()), /already denied \(by its time-out\)/);
    expect(late.rows.get('e1')).toMatchObject({ status: 'denied', reason: 'timeout', person: 'system' });
  });

  test('a time-out needs no time that is left, and says so in its entry', async () => {
    const { ports, commits, row } = world();
    expect(await timeOut(ports, row, [])).toMatchObject({ status: 'denied', reason: 'timeout' });
    expect(commits[0]?.draft).toMatchObject({
      ...{ kind: 'deny', actor: { key_id: 'system', person: 'system' } },
      body: { reviewer: 'system', comment: '', channel: 'system', reason: 'timeout' },
    });
    expect(commits[0]?.changes?.[0]).not.toHaveProperty('after');
  });

  test('a time-out after a vote answers the row as the vote left it; without a row it fails', async () => {
    const { ports, row, rows } = world();
    await decideApproval(ports, row, vote());
    expect(await timeOut(ports, rows.get('e1')!, [])).toMatchObject({ status: 'approved', person: 'alice' });
    rows.clear();
    await expect(timeOut(ports, row, [])).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what was decided stays decided', () => {
  test.each<[Partial<ApprovalRow>, RegExp]>([
    [{ status: 'approved', person: 'carol' }, /already approved \(by carol\)/],
    [{ status: 'denied', reason: 'timeout', person: 'system' }, /already denied \(by its time-out\)/],
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

describe('[identity.separation-votes] several votes', () => {
  test('the first is kept, the second decides', async () => {
    const { ports, row, rows, commits, did } = world(approvalRow({ requires: two, vote_count: 0 }));
    const waits = await decideApproval(ports, row, by('alice'));
    const first = { ...ballot('alice'), reviewer: 'alice-laptop', comment: 'fine', channel: 'http', at: at(60) };
    expect(waits).toEqual({ ...row, votes: [first], vote_count: 1, requires: two });
    expect(did).toEqual([]);
    expect(commits[0]?.draft).toMatchObject({
      ...{ kind: 'vote', timestamp: at(60) },
      body: {
        ...{ status: 'pending', missing: '1 more approval (two-people)', requires: two },
        votes: [{ ...ballot('alice'), at: at(60) }],
      },
    });
    expect(commits[0]?.draft.body).toMatchObject({ signature: { key_id: 'vote-key' }, requested_by: 'k' });
    expect(commits[0]?.changes).toEqual([
      {
        ...{ type: 'approval.move', id: 'e1', tenant: 't', from: 'pending', to: 'pending' },
        set: { votes: [first], vote_count: 1, requires: two },
        where: { vote_count: 0 },
        after: { attribute: 'expires_at', time: at(60) },
      },
    ]);

    const decided = await decideApproval(ports, waits, by('carol'));
    expect(decided).toMatchObject({ status: 'approved', vote_count: 2, person: 'carol' });
    expect(decided.votes?.map(({ person }) => person)).toEqual(['alice', 'carol']);
    expect(commits[1]?.changes).toMatchObject([{ where: { vote_count: 1 }, set: { vote_count: 2 } }]);
    expect(commits[1]?.draft.body).toMatchObject({ requires: two, signature: { value: 'signed' } });
    expect(rows.get('e1')?.status).toBe('approved');
  });

  test('rules of now are added to those of the request, each once', async () => {
    const more = { rule: 'admins', approvals: 1, roles: ['admin' as const] };
    const { ports, row } = world(approvalRow({ requires: two }));
    const again = { approvals: 2, rule: 'two-people' };
    const separation = { ballot: ballot('alice'), requires: [again, more] };
    expect((await decideApproval(ports, row, by('alice', { separation }))).requires).toEqual([...two, more]);
  });

  test('a rule that came after the request is asked for as well', async () => {
    const { ports, row } = world();
    const separation = { ballot: ballot('alice'), requires: two };
    expect(await decideApproval(ports, row, by('alice', { separation }))).toMatchObject({
      ...{ status: 'pending', requires: two, vote_count: 1 },
    });
  });

  test('a person counts once', async () => {
    const { ports, row } = world(approvalRow({ requires: two }));
    const waits = await decideApproval(ports, row, by('alice'));
    await expectConflict(
      decideApproval(ports, waits, by('alice')),
      /alice has approved e1 already; the next approval must come from another person/,
    );
  });

  test('a vote that no open rule counts is refused with what is needed', async () => {
    const requires = [{ rule: 'security', approvals: 1, from_teams: ['acme/security'] }];
    const { ports, row, commits } = world(approvalRow({ requires }));
    const message = 'Not counted: this approval needs 1 more approval of acme/security (security).';
    for (const cast of [by('alice'), vote()])
      await expect(decideApproval(ports, row, cast)).rejects.toMatchObject({ code: 'separation_of_duties', message });
    expect(commits).toEqual([]);
    const separation = { ballot: ballot('sam', ['acme/security']), requires: [] };
    expect(await decideApproval(ports, row, by('sam', { separation }))).toMatchObject({ status: 'approved' });
  });

  test('a voter whose place is not known counts as a viewer without a team', async () => {
    const open = world(approvalRow({ requires: two }));
    expect((await decideApproval(open.ports, open.row, vote())).votes).toMatchObject([{ teams: [], role: 'viewer' }]);
  });

  test('one denial decides, whatever the rules ask for', async () => {
    const { ports, row, commits } = world(approvalRow({ requires: two }));
    expect(await decideApproval(ports, row, by('alice', { verdict: 'deny' }))).toMatchObject({ status: 'denied' });
    expect(commits[0]?.draft.body).not.toHaveProperty('requires');
    expect(commits[0]?.changes?.[0]).toMatchObject({ where: {} });
  });

  test('a vote that lost a race is counted again on top of the other', async () => {
    const { ports, row, rows, before } = world(approvalRow({ requires: two, vote_count: 0 }));
    const other = { ...ballot('carol'), reviewer: 'carol', comment: '', channel: 'http', at: at(59) };
    before.push(() => rows.set('e1', { ...row, votes: [other], vote_count: 1 }));
    expect(await decideApproval(ports, row, by('alice'))).toMatchObject({ status: 'approved', vote_count: 2 });
  });

  test('a vote that loses five races is given up, and nothing of it is written', async () => {
    const { ports, row, rows, before, commits } = world(approvalRow({ requires: two, vote_count: 0 }));
    const faster = () => {
      const now = rows.get('e1')!;
      rows.set('e1', { ...now, vote_count: (now.vote_count ?? 0) + 1 });
    };
    before.push(...Array(5).fill(faster));
    const work = decideApproval(ports, row, by('alice'));
    await expect(work).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(commits).toEqual([]);
    expect(before).toEqual([]);
    before.push(...Array(4).fill(faster));
    expect(await decideApproval(ports, rows.get('e1')!, by('alice'))).toMatchObject({ status: 'pending' });
  });

  test('a row that vanished is not found', async () => {
    const { ports, row, rows, before } = world();
    before.push(() => rows.clear());
    await expect(decideApproval(ports, row, vote())).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('[evidence.passkey-proven] passkeys', () => {
  const passkey = {
    assertion: { credential_id: 'c', authenticator_data: 'a', client_data_json: 'j', signature: 's' },
    passkey: {
      ...{ credential_id: 'c', name: 'key', cose_key: 'x', public_key: 'pem', sign_count: 0, rp_id: 'gate.example' },
      ...{ origin: 'https://gate.example', registered_at: at(-100), evidence_hash: 'registered' },
    },
  } as never;

  test('the public key enters the chain before the vote, which names its entry', async () => {
    const { ports, row, commits } = world(approvalRow({ require_passkey: true }));
    await decideApproval(ports, row, vote({ passkey }));
    expect(commits.map(({ draft }) => draft.kind)).toEqual(['admin', 'approve']);
    expect(commits[0]).toEqual({
      draft: {
        ...{ tenant: 't', session_id: 's', timestamp: at(60), kind: 'admin', envelope_id: 'e1' },
        actor: { key_id: 'k-alice', person: 'alice' },
        body: {
          ...{ action: 'passkey.key', person: 'alice', credential_id: 'c', public_key: 'pem', rp_id: 'gate.example' },
          ...{ origin: 'https://gate.example', registered_at: at(-100), registration: 'registered' },
        },
      },
    });
    expect(commits[1]?.draft.body).toMatchObject({
      passkey: { credential_id: 'c', signature: 's', key_entry: 'hash-0' },
      passkey_required: true,
    });
  });

  test('where the rule asks for one, an approval without it is not counted and a denial is', async () => {
    const { ports, row, commits } = world(approvalRow({ require_passkey: true }));
    await expect(decideApproval(ports, row, vote())).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/^Not counted: rule git:scm\.\* takes an approval only with a passkey/),
    });
    expect(commits).toEqual([]);
    await decideApproval(ports, row, vote({ verdict: 'deny' }));
    expect(commits[0]?.draft.body).not.toHaveProperty('passkey_required');
  });

  test('a decided row takes no key into its chain', async () => {
    const { ports, row, commits } = world(approvalRow({ status: 'denied', person: 'carol' }));
    await expectConflict(decideApproval(ports, row, vote({ passkey })), /already denied/);
    expect(commits).toEqual([]);
  });
});
