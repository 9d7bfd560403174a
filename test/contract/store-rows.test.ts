/**
 * An insider with access to every table but no key changes rows: each change is refused or found by verification,
 * `doctor` or a witness. Attacks on evidence rows are in evidence-rewriting.test.ts, on the log in
 * malicious-operator.test.ts.
 */
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { useStarted } from '../support/use-started.ts';

const configuration = `version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
people:
  - { id: alice, role: admin, tenants: ["*"] }
  - { id: bob, role: operator }
  - { id: carol, role: operator }
  - { id: dave, role: operator }
tenants:
  - id: default
    api_keys:
      - { key: agent-key-1, kind: agent, name: builder, owner: dave }
      - { key: agent-key-2, kind: agent, name: stranger, owner: carol }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
      - { key: bob-key-1, kind: human, person: bob }
      - { key: carol-key-1, kind: human, person: carol }
      - { key: dave-key-1, kind: human, person: dave }
organizations:
  - id: acme
    teams: [{ id: web, members: [dave, carol], projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: default }] }] }]
separation_rules:
  - { name: four-eyes, applies_to: "acme/**/production", capability: write, requires: { approvals: 2 } }
tool_policies: { rules: [{ protocol: git, tool: "scm.*", decision: review }] }
`;

let attacker: TableAttacker;
const ran: unknown[] = [];
const gateway = useStarted(() => {
  const execute = async (envelope: { readonly parameters: unknown }) => {
    ran.push(envelope.parameters);
    return { done: true };
  };
  return keptGateway({ configuration, executors: [{ name: 'fake', handles: () => true, execute }] });
});
beforeEach(() => {
  attacker = new TableAttacker(gateway.store);
  ran.length = 0;
});
const call: KeptGateway['call'] = (...given) => gateway.call(...given);

let last = 0;
/** Builds a call with a new target and session each time. */
function request(capability = 'write') {
  const session = `rows-${last++}`;
  const act = async (more: object = {}) =>
    (
      await call('POST', '/admin/v1/test-action', 'agent-key-1', {
        protocol: 'git',
        tool: capability === 'write' ? 'scm.merge_pull_request' : 'scm.get_file',
        capability,
        target: `acme/${session}`,
        parameters: { number: 7 },
        actor: { agent: 'builder', session },
        ...more,
      })
    ).body;
  return { session, act };
}
const vote = (id: string, person: string, verb = 'approve') =>
  call('POST', `/admin/v1/approvals/${id}/${verb}`, `${person}-key-1`, { reviewer: person });
const row = async (id: string) => (await gateway.ports().approvals.get('default', id))!;
const verify = async (session: string) => {
  await gateway.projected();
  return (await call('GET', `/admin/v1/evidence/sessions/${session}/verify`, 'alice-key-1')).body;
};
const unproven = { decision: 'review', error: { data: { reason: 'not_in_evidence' } } };
const ballot = (person: string) => ({
  person,
  teams: [],
  role: 'operator',
  reviewer: person,
  comment: '',
  channel: 'http',
  at: new Date(gateway.ports().clock.now()).toISOString(),
});

describe('[evidence.approval-proven] an approval row that requires several people', () => {
  test('a forged vote does not count when the approval is used, and verification names it', async () => {
    const { session, act } = request();
    const { envelope_id: id } = await act();
    await attacker.setApproval(id, { votes: [ballot('bob')], vote_count: 1 });
    expect((await vote(id, 'carol')).body.status).toBe('approved');
    expect(await act({ approval_ref: id })).toMatchObject(unproven);
    expect(ran).toEqual([]);
    expect(await verify(session)).toMatchObject({
      valid: false,
      broken_link: { reason: expect.stringContaining('lists a vote, but no earlier entry for it') },
    });
  });

  test('with a forged vote whose entry was also inserted into the chain counts only the genuine vote when it is used', async () => {
    const { session, act } = request();
    const { envelope_id: id } = await act();
    const forged = ballot('bob');
    await attacker.append(session, {
      tenant: 'default',
      session_id: session,
      timestamp: forged.at,
      kind: 'vote',
      envelope_id: id,
      actor: { key_id: 'any', person: 'bob' },
      body: { approval_id: id, status: 'pending', person: 'bob', call_digest: (await row(id)).call_digest },
    } as EntryDraft);
    await attacker.setApproval(id, { votes: [forged], vote_count: 1 });
    expect((await vote(id, 'carol')).body.status).toBe('approved');
    expect(await act({ approval_ref: id })).toMatchObject(unproven);
    expect(ran).toEqual([]);
  });

  test('with a vote that was cast for another call counts only the genuine vote when it is used', async () => {
    const other = request();
    const { envelope_id: first } = await other.act();
    await vote(first, 'bob');
    const given = (await row(first)).votes;
    const { act } = request();
    const { envelope_id: id } = await act();
    await attacker.setApproval(id, { votes: given, vote_count: 1 });
    await vote(id, 'carol');
    expect(await act({ approval_ref: id })).toMatchObject(unproven);
    expect(ran).toEqual([]);
  });

  test('without its separation rules is evaluated with those in the configuration', async () => {
    const { act } = request();
    const { envelope_id: id } = await act();
    await attacker.setApproval(id, { requires: [] });
    expect((await vote(id, 'carol')).body.status).toBe('pending');
    expect((await act({ approval_ref: id })).decision).toBe('review');
  });

  test('approved by two people lets its call run once, as usual', async () => {
    const { session, act } = request();
    const { envelope_id: id } = await act();
    await vote(id, 'carol');
    expect((await vote(id, 'bob')).body.status).toBe('approved');
    expect(await act({ approval_ref: id })).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}` });
    expect(ran).toHaveLength(1);
    expect(await verify(session)).toMatchObject({ valid: true });
  });
});

describe('[evidence.approval-proven] an approval row', () => {
  const otherKey = async () => {
    const { byKeyId } = (await gateway.ports().snapshots.current()).identities;
    return [...byKeyId.values()].find(({ name }) => name === 'stranger')!.key_id;
  };

  test('changed to another key shows a call that no longer matches its digest', async () => {
    const { act } = request('read');
    const { envelope_id: id } = await act();
    expect((await vote(id, 'dave')).status).toBe(403);
    await attacker.setApproval(id, { key_id: await otherKey(), key_owner: 'carol' });
    expect((await vote(id, 'dave')).status).toBe(409);
  });

  test('changed to another key, with a field marked as withheld, does not approve anything for the requesting key', async () => {
    const { act } = request('read');
    const { envelope_id: id } = await act();
    const { key_id } = await row(id);
    const withheld = ['$.parameters.token'];
    await attacker.setApproval(id, { key_id: await otherKey(), key_owner: 'carol', withheld });
    expect((await vote(id, 'dave')).body).toMatchObject({ status: 'approved' });
    await attacker.setApproval(id, { key_id, key_owner: 'dave', withheld: [] });
    expect(await act({ approval_ref: id })).toMatchObject(unproven);
    expect(ran).toEqual([]);
  });

  test.each([
    ['with a field that is said to be withheld', { number: 9 }],
    ['with a field that is withheld', { number: 9, token: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' }],
  ])('[approval.evidence-decides] that shows a different call, %s, lets no call run', async (_, parameters) => {
    const { act } = request('read');
    const { envelope_id: id } = await act({ parameters });
    const { withheld, parameters: shown } = await row(id);
    await attacker.setApproval(id, {
      parameters_json: JSON.stringify({ ...shown, number: 1 }),
      withheld: withheld.length > 0 ? withheld : ['$.parameters.token'],
    });
    expect((await vote(id, 'bob')).body).toMatchObject({ status: 'approved' });
    expect(await act({ parameters, approval_ref: id })).toMatchObject(unproven);
    expect(ran).toEqual([]);
  });

  test('[approval.evidence-decides] that shows its call without the secret works as usual', async () => {
    const parameters = {
      number: 9,
      token: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
      note: 'Bearer abcdef0123456789abcdef',
    };
    const { act } = request('read');
    const { envelope_id: id } = await act({ parameters });
    expect((await row(id)).withheld).not.toEqual([]);
    await vote(id, 'bob');
    expect(await act({ parameters })).toMatchObject({ decision: 'allow', matched_rule: `approved:${id}` });
  });

  test('with a changed owner does not let the real owner vote, because the key identifies the person', async () => {
    const { act } = request('read');
    const { envelope_id: id } = await act();
    await attacker.setApproval(id, { key_owner: 'carol' });
    expect((await vote(id, 'dave')).status).toBe(403);
  });

  test('moved to another tenant is invisible to its voters and lets no call run', async () => {
    const { act } = request('read');
    const { envelope_id: id } = await act();
    await attacker.setApproval(id, { tenant: 'elsewhere' });
    expect((await vote(id, 'bob')).status).toBe(404);
    expect((await act({ approval_ref: id })).decision).toBe('review');
  });

  test('with a postponed expiry still needs a person to approve exactly this call', async () => {
    const { act } = request('read');
    const { envelope_id: id } = await act();
    gateway.pass(24 * 3600);
    expect((await vote(id, 'bob')).status).toBe(409);
    const { envelope_id: second } = await act();
    await attacker.setApproval(second, { parameters_json: '{"number":8}', expires_at: '2030-01-01T00:00:00.000Z' });
    expect((await vote(second, 'bob')).status).toBe(409);
  });
});

describe('[evidence.verify.live] the head of a session', () => {
  const session = async () => {
    const { session: name, act } = request('read');
    await act();
    await act({ target: 'acme/other' });
    await gateway.projected();
    return name;
  };
  test.each([
    ['counts fewer entries', (head: Record<string, unknown>) => ({ ...head, total_entries: 1 })],
    ['counts more entries', (head: Record<string, unknown>) => ({ ...head, total_entries: 99 })],
    ['ends in another hash', (head: Record<string, unknown>) => ({ ...head, last_hash: 'f'.repeat(64) })],
    ['begins with another hash', (head: Record<string, unknown>) => ({ ...head, first_hash: 'f'.repeat(64) })],
  ])('fails verification if it %s', async (_, change) => {
    const name = await session();
    await attacker.setHead(change({ ...(await attacker.head(name)) }) as never);
    expect((await verify(name)).valid).toBe(false);
  });
});
