/** An attacker who can only write rows of the approvals table cannot approve a call. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { inSession, pull, useGateway } from '../support/use-gateway.ts';

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

/** Writes attributes into an approval's row, past the gateway. */
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

describe('[approval.evidence-decides] a row that claims a vote which no reviewer gave', () => {
  test.each([
    ['without a reference', false],
    ['by its reference', true],
  ])('opens nothing: a pending request, retried %s', async (name, byReference) => {
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

  test('opens no call: a denied request, and one that points at the vote of another', async () => {
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

  test('does not let a call run a second time: a used approval that is set back', async () => {
    const { envelope_id } = (await act('flip-used')).body;
    await approve(envelope_id);
    expect((await act('flip-used')).body.decision).toBe('allow');
    await write(envelope_id, approved);
    const again = await act('flip-used', { approval_ref: envelope_id });
    expect(again.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
    expect(ran).toHaveLength(1);
  });

  test('lets no other call run: a row given the digest of another', async () => {
    const mine = (await act('flip-digest', { target: 'acme/harmless' })).body.envelope_id;
    await approve(mine);
    const wanted = (await act('flip-digest', { target: 'acme/wanted' })).body.envelope_id;
    const row = await gateway.ports.approvals.get('default', wanted);
    await write(mine, { call_digest: row?.call_digest });
    const retry = await act('flip-digest', { target: 'acme/wanted', approval_ref: mine });
    expect(retry.body.error.data.reason).toBe('not_in_evidence');
    expect(ran).toEqual([]);
  });

  test('denies no call: a pending request needs a new decision', async () => {
    const { envelope_id } = (await act('flip-to-denied')).body;
    const decided_at = new Date(gateway.ports.clock.now()).toISOString();
    await write(envelope_id, { status: 'denied', tenant_status: 'default#denied', reviewer: 'mallory', decided_at });
    const retry = await act('flip-to-denied');
    expect(retry.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
    expect(retry.body.envelope_id).not.toBe(envelope_id);
  });

  test('is not an outcome either: a forged result of the gateway is not returned', async () => {
    const { envelope_id } = (await act('flip-result')).body;
    const done = { status: 'consumed', tenant_status: 'default#consumed', executed_by: 'gateway', outcome: 'executed' };
    await write(envelope_id, { ...done, result_json: '{"made":"up"}' });
    const retry = await act('flip-result');
    expect(retry.body).toMatchObject({ decision: 'review', error: { data: { reason: 'not_in_evidence' } } });
  });

  test('moves no chat past its review', async () => {
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
  ])('is not carried out by the gateway, and the refusal is evidence: %s', async (name, isApproved, set) => {
    const session = `execute-${name}`.replaceAll(' ', '-');
    const { envelope_id } = (await act(session)).body;
    if (isApproved) await approve(envelope_id);
    await write(envelope_id, { ...approved, ...set });
    const row = await gateway.ports.approvals.find(envelope_id);
    await executeApproved(gateway.ports, row!);
    expect(ran).toEqual([]);
    expect((await entriesOf(session)).at(-1)).toMatchObject({
      kind: 'block',
      body: { approval_ref: envelope_id, reason: expect.stringContaining('no evidence entry reports it') },
    });
  });
});
