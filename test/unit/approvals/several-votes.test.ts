/** Approvals that need votes of several people, and votes that a passkey signs. */
import { decideApproval } from '#core/approvals/vote.ts';
import { approvalRow, at } from './sample.ts';
import { by, expectConflict, vote, world } from './voting.ts';

const two = [{ rule: 'two-people', approvals: 2 }];
describe('[identity.separation-votes] several votes', () => {
  test('a person counts once', async () => {
    const { ports, row } = world(approvalRow({ requires: two }));
    const waits = await decideApproval(ports, row, by('alice'));
    await expectConflict(
      decideApproval(ports, waits, by('alice')),
      /alice has approved e1 already; the next approval must come from another person/,
    );
  });

  test('a voter whose place is not known counts as a viewer without a team', async () => {
    const open = world(approvalRow({ requires: two }));
    expect((await decideApproval(open.ports, open.row, vote())).votes).toMatchObject([{ teams: [], role: 'viewer' }]);
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

  test('a decided row takes no key into its chain', async () => {
    const { ports, row, commits } = world(approvalRow({ status: 'denied', person: 'carol' }));
    await expectConflict(decideApproval(ports, row, vote({ passkey })), /already denied/);
    expect(commits).toEqual([]);
  });
});
