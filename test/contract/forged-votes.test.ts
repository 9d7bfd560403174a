/** Attackers who can write rows but have no key cannot approve a call. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { caller } from '../support/call-endpoint.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { inSession, pull, useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';
import { signer as stranger } from '../unit/evidence/sample.ts';

/** An attacker who can only write rows in the approvals table cannot approve a call. */
describe('rows of approvals', () => {
  const extra = `
providers: [{ name: mock, type: mock, models: ["mock"] }]
routes: [{ match: { model: "mock" }, providers: [mock] }]
policies: { input: [{ name: ask-a-human, type: keyword, action: review, keywords: ["launch"] }] }
`;

  const ran: unknown[] = [];
  const execute = async (envelope: { readonly parameters: unknown }) => {
    ran.push(envelope.parameters);
    return { done: true };
  };
  const gateway = useGateway({ extra, executors: [{ name: 'fake', handles: () => true, execute }] });
  const { call, approve, deny, entriesOf } = gateway;
  beforeEach(() => {
    ran.length = 0;
  });

  const act = (session: string, more: object = {}) => gateway.act({ ...inSession(pull, session), ...more });

  /** Writes attributes into an approval's row, bypassing the gateway. */
  const write = (id: string, set: Readonly<Record<string, unknown>>): Promise<void> =>
    new TableAttacker(gateway.store).setApproval(id, set);

  const later = '2030-01-01T00:00:00.000Z';
  const approved = {
    status: 'approved',
    tenant_status: 'default#approved',
    reviewer: 'alice',
    person: 'alice',
    use_expires_at: later,
  };

  describe('[approval.evidence-decides] a row that claims a vote no reviewer cast', () => {
    test.each([
      ['without a reference', false],
      ['by its reference', true],
    ])('approves nothing: a pending request, retried %s', async (name, byReference) => {
      const session = `flip-${name}`.replaceAll(' ', '-');
      const { envelope_id } = (await act(session)).body;
      await write(envelope_id, approved);
      const retry = await act(session, byReference ? { approval_ref: envelope_id } : {});
      expect(retry.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
      expect(retry.body.envelope_id).not.toBe(envelope_id);
      expect(ran).toEqual([]);
      const entries = await entriesOf(session);
      expect(entries.map(({ kind, body }) => [kind, body.approval_reason])).toEqual([
        ['review', undefined],
        ['review', 'not_in_evidence'],
      ]);
      expect(gateway.lines.some((line) => line.includes('claims a vote') && line.includes(envelope_id))).toBe(true);
    });

    test('lets no call run: neither a denied request nor one that refers to the vote on another', async () => {
      const first = (await act('flip-denied')).body.envelope_id;
      await deny(first);
      await write(first, approved);
      const retry = await act('flip-denied', { approval_ref: first });
      expect(retry.body.error.data.reason).toBe('not_in_evidence');

      const other = (await act('flip-denied', { target: 'acme/api' })).body.envelope_id;
      await approve(other);
      const [, , , , voted] = await entriesOf('flip-denied');
      expect(voted).toMatchObject({ kind: 'approve', envelope_id: other });
      await write(retry.body.envelope_id, { ...approved, evidence_index: voted?.index, evidence_hash: voted?.hash });
      const again = await act('flip-denied', { approval_ref: retry.body.envelope_id });
      expect(again.body.error.data.reason).toBe('not_in_evidence');
      expect(ran).toEqual([]);
    });

    test('a used approval whose row is reset does not let the call run again', async () => {
      const { envelope_id } = (await act('flip-used')).body;
      await approve(envelope_id);
      expect((await act('flip-used')).body.decision).toBe('allow');
      await write(envelope_id, approved);
      const again = await act('flip-used', { approval_ref: envelope_id });
      expect(again.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
      expect(ran).toHaveLength(1);
    });

    test('lets no other call run when it has the digest of another call', async () => {
      const mine = (await act('flip-digest', { target: 'acme/harmless' })).body.envelope_id;
      await approve(mine);
      const wanted = (await act('flip-digest', { target: 'acme/wanted' })).body.envelope_id;
      const row = await gateway.ports.approvals.get('default', wanted);
      await write(mine, { call_digest: row?.call_digest });
      const retry = await act('flip-digest', { target: 'acme/wanted', approval_ref: mine });
      expect(retry.body.error.data.reason).toBe('not_in_evidence');
      expect(ran).toEqual([]);
    });

    test('does not deny a call: a pending request needs a new decision', async () => {
      const { envelope_id } = (await act('flip-to-denied')).body;
      const decided_at = new Date(gateway.ports.clock.now()).toISOString();
      await write(envelope_id, { status: 'denied', tenant_status: 'default#denied', reviewer: 'mallory', decided_at });
      const retry = await act('flip-to-denied');
      expect(retry.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
      expect(retry.body.envelope_id).not.toBe(envelope_id);
    });

    test('does not count as an outcome: a forged result is not returned', async () => {
      const { envelope_id } = (await act('flip-result')).body;
      const done = {
        status: 'consumed',
        tenant_status: 'default#consumed',
        executed_by: 'gateway',
        outcome: 'executed',
      };
      await write(envelope_id, { ...done, result_json: '{"made":"up"}' });
      const retry = await act('flip-result');
      expect(retry.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
    });

    test('lets no chat past its review', async () => {
      const ask = () =>
        call('POST', '/v1/chat/completions', {
          key: keys.agent,
          body: { model: 'mock', messages: [{ role: 'user', content: 'launch it' }] },
          headers: { 'x-session-id': 'flip-chat' },
        });
      const { envelope_id } = (await ask()).body;
      await write(envelope_id, approved);
      expect(await ask()).toMatchObject({ status: 202, body: { reason: 'not_in_evidence' } });
    });

    test.each([
      ['a pending request', false, {}],
      [
        'an approved one with other parameters',
        true,
        { parameters_json: '{"title":"Other","head":"evil","base":"main"}' },
      ],
      ['an approved one with another target', true, { target: 'acme/other' }],
    ])(
      'is not carried out by the gateway, and the refusal is recorded in evidence: %s',
      async (name, isApproved, set) => {
        const session = `execute-${name}`.replaceAll(' ', '-');
        const { envelope_id } = (await act(session)).body;
        if (isApproved) await approve(envelope_id);
        await write(envelope_id, { ...approved, ...set });
        const row = await gateway.ports.approvals.find(envelope_id);
        await executeApproved(gateway.ports, row!);
        expect(ran).toEqual([]);
        expect((await entriesOf(session)).at(-1)).toMatchObject({
          kind: 'block',
          body: { approval_ref: envelope_id, reason: expect.stringContaining('no evidence entry records it') },
        });
      },
    );
  });
});

/** An attacker who can write every table but has no key forges votes in evidence: none of them approves a call. */
describe('votes in evidence', () => {
  let attacker: TableAttacker;
  const ran: unknown[] = [];

  const gateway = useStarted(() => {
    const execute = async (envelope: { readonly parameters: unknown }) => {
      ran.push(envelope.parameters);
      return { done: true };
    };
    return keptGateway({ executors: [{ name: 'fake', handles: () => true, execute }] });
  });
  beforeEach(() => {
    attacker = new TableAttacker(gateway.store);
    ran.length = 0;
  });

  let last = 0;
  /** Builds a call with a new target and session each time. */
  const request = () => {
    const name = `votes-${last++}`;
    const act = async (more: object = {}) =>
      (
        await caller(gateway.ports())('POST', '/admin/v1/test-action', {
          key: keys.agent,
          body: {
            protocol: 'git',
            tool: 'scm.create_pull_request',
            target: 'acme/web',
            capability: 'write',
            parameters: { title: name, head: 'fix', base: 'main' },
            actor: { agent: 'writer', session: name },
            ...more,
          },
        })
      ).body;
    return { name, act };
  };
  const vote = (id: string) =>
    caller(gateway.ports())('POST', `/admin/v1/approvals/${id}/approve`, {
      key: keys.human,
      body: { reviewer: 'alice' },
    });

  /** Writes attributes into an approval's row, bypassing the gateway. */
  const write = (id: string, set: Readonly<Record<string, unknown>>): Promise<void> => attacker.setApproval(id, set);

  const useUntil = '2030-01-01T00:00:00.000Z';
  const approved = {
    status: 'approved',
    tenant_status: 'default#approved',
    reviewer: 'alice',
    person: 'alice',
    use_expires_at: useUntil,
  };

  /** Forges the `approve` entry that a human's vote would have left, and its row. */
  async function forge(name: string, id: string, body: object = {}): Promise<void> {
    const row = await gateway.ports().approvals.get('default', id);
    await attacker.append(name, {
      tenant: 'default',
      session_id: name,
      kind: 'approve',
      envelope_id: id,
      timestamp: new Date(gateway.ports().clock.now()).toISOString(),
      actor: { key_id: 'any', person: 'alice' },
      body: {
        approval_id: id,
        status: 'approved',
        reviewer: 'alice',
        person: 'alice',
        comment: '',
        channel: 'http',
        call_digest: row?.call_digest,
        tool: row?.tool,
        matched_rule: row?.matched_rule,
        use_expires_at: useUntil,
        ...body,
      },
    } as EntryDraft);
    const entry = (await attacker.entries(name)).at(-1);
    await write(id, { ...approved, evidence_index: entry?.index, evidence_hash: entry?.hash });
  }

  const unproven = { decision: 'review', error: { data: { reason: 'not_in_evidence' } } };

  describe('[approval.evidence-decides] a vote inserted into the tables lets no call run', () => {
    test.each([
      ['without a signature', async () => ({})],
      [
        "with a stranger's signature",
        async () => ({
          signature: { alg: 'ECDSA_P256_SHA256', key_id: stranger.keyId, value: await stranger.sign(Buffer.from('x')) },
        }),
      ],
      ['with a signature that is not one', async () => ({ signature: { value: 'AAAA' } })],
    ])('%s', async (_, body) => {
      const { name, act } = request();
      const { envelope_id } = await act();
      await forge(name, envelope_id, await body());
      expect(await act({ approval_ref: envelope_id })).toMatchObject(unproven);
      await executeApproved(gateway.ports(), (await gateway.ports().approvals.find(envelope_id))!);
      expect(ran).toEqual([]);
    });

    test('with the signature from a vote on another call', async () => {
      const { name, act } = request();
      const harmless = (await act({ target: 'acme/harmless' })).envelope_id;
      await vote(harmless);
      const given = (await attacker.entries(name)).at(-1);
      const wanted = (await act({ target: 'acme/wanted' })).envelope_id;
      await forge(name, wanted, { signature: given?.body.signature });
      expect(await act({ target: 'acme/wanted', approval_ref: wanted })).toMatchObject(unproven);
      expect(ran).toEqual([]);
    });

    test('with its own signature after it has expired', async () => {
      const { name, act } = request();
      const { envelope_id } = await act();
      await vote(envelope_id);
      gateway.pass(24 * 3600);
      await write(envelope_id, { use_expires_at: useUntil });
      expect(await act({ approval_ref: envelope_id })).toMatchObject(unproven);
      const story = await attacker.entries(name);
      const longer = story.map((entry) =>
        entry.kind === 'approve' ? { ...entry, body: { ...entry.body, use_expires_at: useUntil } } : entry,
      );
      await attacker.tell(name, longer);
      await write(envelope_id, approved);
      expect(await act({ approval_ref: envelope_id })).toMatchObject(unproven);
      expect(ran).toEqual([]);
    });

    test('with its own signature, but cast under another rule', async () => {
      const { name, act } = request();
      const { envelope_id } = await act();
      await vote(envelope_id);
      const retold = (entry: EvidenceEntry) =>
        entry.kind === 'approve' ? { ...entry, body: { ...entry.body, matched_rule: 'git:other' } } : entry;
      await attacker.tell(name, (await attacker.entries(name)).map(retold));
      expect(await act({ approval_ref: envelope_id })).toMatchObject(unproven);
      expect(ran).toEqual([]);
    });
  });

  test('[approval.evidence-decides] a used vote cannot be reused even if the entry recording its use is removed from under a checkpoint', async () => {
    const { name, act } = request();
    const { envelope_id } = await act();
    await vote(envelope_id);
    const before = await attacker.entries(name);
    expect(await act({ approval_ref: envelope_id })).toMatchObject({ decision: 'allow' });
    await gateway.projected();
    await attacker.tell(name, before);
    await write(envelope_id, approved);
    expect(await act({ approval_ref: envelope_id })).toMatchObject(unproven);
    expect(ran).toHaveLength(1);
  });

  test('[approval.evidence-decides] a row that shows a call other than the one covered by its digest cannot be approved', async () => {
    const { act } = request();
    const harmless = (await act({ target: 'acme/harmless' })).envelope_id;
    const wanted = (await act({ target: 'acme/wanted' })).envelope_id;
    const row = await gateway.ports().approvals.get('default', wanted);
    await write(harmless, { call_digest: row?.call_digest });
    expect(await vote(harmless)).toMatchObject({ status: 409, body: { error: { code: 409 } } });
  });

  test('[approval.evidence-decides] a genuine vote lets its call run once, before and after a checkpoint', async () => {
    const early = request();
    const first = (await early.act()).envelope_id;
    expect((await vote(first)).status).toBe(200);
    expect(await early.act()).toMatchObject({ decision: 'allow', matched_rule: `approved:${first}` });

    const late = request();
    const second = (await late.act()).envelope_id;
    await vote(second);
    await gateway.projected();
    expect(await late.act()).toMatchObject({ decision: 'allow', matched_rule: `approved:${second}` });
    expect(ran).toHaveLength(2);
  });
});
