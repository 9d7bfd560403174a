/** Approvals that need votes of several people, and votes that a passkey signs. */
import { decideApproval } from '#core/approvals/vote.ts';
import { approvalRow, at } from './sample.ts';
import { ballot, by, expectConflict, vote, world } from './voting.ts';

const two = [{ rule: 'two-people', approvals: 2 }];
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
        ...{ status: 'pending', missing: '1 more approval (two-people), 1 of 2 given', requires: two },
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
