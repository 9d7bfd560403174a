/** Rules that change while a request is pending: its approval gains the new requirements and keeps the old ones. */
import { authenticator } from '../support/authenticator.ts';
import { caller } from '../support/call-endpoint.ts';
import { useGateway } from '../support/use-gateway.ts';

interface Terms {
  readonly rules?: string;
  readonly separation?: string;
  readonly timeout?: number;
  readonly killSwitch?: number;
}
const publish = (approval = '') =>
  `{ protocol: git, tool: scm.publish, decision: review, reason: It is public.${approval && `, approval: { ${approval} }`} }`;
const configuration = ({
  rules = publish(),
  separation = '',
  timeout = 1_800,
  killSwitch = 100,
}: Terms = {}) => `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }, { id: bob, role: operator }, { id: carol, role: operator }]
tenants:
  - id: default
    api_keys:
      - { key: agent-key-1, kind: agent, name: builder }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
      - { key: bob-key-1, kind: human, person: bob }
      - { key: carol-key-1, kind: human, person: carol }
organizations:
  - id: acme
    teams: [{ id: web, projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: default }] }] }]
separation_rules: [${separation}]
approvals: { timeout_seconds: ${timeout} }
behavior: { kill_switch_score: ${killSwitch} }
tool_policies: { pack: null, default_decision: allow, rules: [${rules}] }
`;

const gateway = useGateway({ configuration: configuration() }, 'test');

const call = (method: string, path: string, person: string, body?: unknown) =>
  caller(gateway.ports)(method, `/admin/v1${path}`, { key: `${person}-key-1`, ...(body !== undefined && { body }) });
let sessions = 0;
const withoutCarol = (yaml: string) =>
  yaml
    .replace(', { id: carol, role: operator }', '')
    .replace('      - { key: carol-key-1, kind: human, person: carol }\n', '');
const publishing = { protocol: 'git', tool: 'scm.publish', target: 'acme/shop', capability: 'write' };
const everyone = { to: 'everyone' };
const asAgent = async (session: string, approval_ref?: string, parameters: object = everyone) =>
  (
    await call('POST', '/test-action', 'agent', {
      ...publishing,
      parameters,
      actor: { agent: 'builder', session },
      ...(approval_ref !== undefined && { approval_ref }),
    })
  ).body;
const asked = async (parameters: object = everyone, session = `s${++sessions}`) => {
  const body = await asAgent(session, undefined, parameters);
  expect(body.decision).toBe('review');
  return { id: body.envelope_id as string, session, reason: body.error.data.reason };
};
const change = (terms: Terms) => changeTo(configuration(terms));
const changeTo = async (raw: string) => {
  const put = await caller(gateway.ports)('PUT', '/admin/v1/config', {
    key: 'alice-key-1',
    raw,
    headers: { 'content-type': 'application/yaml' },
  });
  expect([201, put.body.error?.message]).toEqual([put.status, undefined]);
};
const approve = (id: string, person = 'bob', more: object = {}) =>
  call('POST', `/approvals/${id}/approve`, person, { reviewer: person, ...more });
const item = async (id: string) => (await call('GET', `/approvals/${id}`, 'bob')).body;
const listed = async (id: string) =>
  (await call('GET', '/approvals', 'bob')).body.pending.find(
    (each: { envelope_id: string }) => each.envelope_id === id,
  );
const said = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body.error?.message ?? body.status];

const page = { id: 'localhost', origin: 'http://localhost:8081' };
async function registered(person: string) {
  const own = authenticator();
  const { body } = await call('POST', '/passkeys/challenge', person);
  const answer = own.register(String(body.challenge), page);
  expect((await call('POST', '/passkeys', person, { name: 'laptop', ...answer })).status).toBe(201);
  return own;
}

test('[approval.strictest-terms] a passkey required by the current rule must be used; the item, the list and evidence show it', async () => {
  const { id, session } = await asked();
  expect((await item(id)).terms_changed).toBeUndefined();
  await change({ rules: publish('require_passkey: true') });
  for (const shown of [await item(id), await listed(id)])
    expect(shown).toMatchObject({
      passkey_required: true,
      terms_changed:
        'Since this request was made, version 2 of the configuration requires more: a passkey with each approval.',
    });
  expect(said(await approve(id))).toEqual([
    403,
    expect.stringMatching(
      /only with a passkey\. Since this request was made, version 2 .*Approve it in the web console/,
    ),
  ]);
  const own = await registered('bob');
  const challenge = String((await item(id)).passkey_challenge);
  const vote = await approve(id, 'bob', { passkey: own.sign(challenge, page) });
  expect(said(vote)).toEqual([200, 'approved']);
  expect(await item(id)).toMatchObject({ status: 'approved', passkey_required: true });
  const { entries } = (await call('GET', `/evidence/sessions/${session}/export`, 'alice')).body;
  expect(entries.find(({ kind }: { kind: string }) => kind === 'approve').body).toMatchObject({
    passkey_required: true,
    tightened_by: 2,
    passkey: { credential_id: own.id },
  });
});

test('[console.people] the number of passkeys per person assigned to a key is included on request', async () => {
  await registered('bob');
  const identities = async (query: string) => (await call('GET', `/identity/identities${query}`, 'carol')).body;
  expect((await identities('?include=passkeys')).passkeys).toMatchObject({ alice: 0, bob: 1, carol: 0 });
  expect(await identities('')).not.toHaveProperty('passkeys');
  expect((await identities('?include=all')).error.message).toBe('include is "all"; it must be passkeys.');
});

test('[approval.item] listing does not re-evaluate long calls against newer rules; fetching the item and voting do', async () => {
  const { id } = await asked({ to: 'everyone', body: 'x'.repeat(5_000) });
  await change({ rules: publish('require_passkey: true') });
  const inList = await listed(id);
  expect(inList.omitted).toEqual([{ field: 'parameters', bytes: expect.any(Number) }]);
  expect(inList).not.toHaveProperty('passkey_required');
  expect(await item(id)).toMatchObject({ passkey_required: true });
  expect((await approve(id)).status).toBe(403);
});

test('[approval.strictest-terms] a current rule that requires less, or that applies to a different call, changes nothing', async () => {
  await change({ rules: publish('require_passkey: true, timeout_seconds: 600') });
  const strict = await asked();
  await change({ rules: publish('timeout_seconds: 900') });
  expect(await item(strict.id)).toMatchObject({ passkey_required: true, expires_in_seconds: 600 });
  expect((await item(strict.id)).terms_changed).toBeUndefined();
  expect((await approve(strict.id)).status).toBe(403);
  const plain = await asked({ to: 'testers' });
  await change({
    rules: `${publish()}, { protocol: git, tool: scm.delete, decision: review, approval: { require_passkey: true } }`,
  });
  expect((await item(plain.id)).terms_changed).toBeUndefined();
  expect(said(await approve(plain.id))).toEqual([200, 'approved']);
});

test('[approval.strictest-terms] a shorter time limit counts from when the call was sent, so later votes find the request expired', async () => {
  const { id, session } = await asked();
  gateway.pass(120);
  await change({ rules: publish('timeout_seconds: 300') });
  expect(await item(id)).toMatchObject({
    expires_in_seconds: 180,
    terms_changed: expect.stringContaining('a decision before 2026-01-01T00:05:00.000Z'),
  });
  gateway.pass(180);
  expect(await listed(id)).toBeUndefined();
  expect(said(await approve(id))).toEqual([409, expect.stringContaining('has timed out: no reviewer decided in time')]);
  const { reason, id: next } = await asked(undefined, session);
  expect([reason, next === id]).toEqual(['expired', false]);
});

test('[approval.strictest-terms] a repeated call finds its request expired, and the new request has the current time limit', async () => {
  const { id, session } = await asked();
  gateway.pass(400);
  await change({ timeout: 300 });
  const next = await asked(undefined, session);
  expect([next.reason, next.id === id]).toEqual(['expired', false]);
  expect(await item(id)).toMatchObject({ status: 'denied', reason: 'timeout' });
  expect(await item(next.id)).toMatchObject({ status: 'pending', expires_in_seconds: 300 });
});

test('[approval.strictest-terms] [identity.separation-rules] a separation rule is shown and applied; approvals without a passkey stop counting once one is required', async () => {
  const { id } = await asked();
  const separation = '{ name: four-eyes, applies_to: "acme/**", requires: { approvals: 2 } }';
  await change({ separation });
  expect(await item(id)).toMatchObject({
    requires: [{ rule: 'four-eyes', approvals: 2 }],
    still_needed: '2 more approvals (four-eyes)',
    terms_changed: expect.stringContaining('requires more: 2 more approvals (four-eyes)'),
  });
  expect(said(await approve(id, 'bob'))).toEqual([200, 'pending']);
  await change({ separation, rules: publish('require_passkey: true') });
  expect(await item(id)).toMatchObject({
    votes: [],
    still_needed: '2 more approvals (four-eyes)',
    terms_changed: expect.stringContaining('1 of the approvals again, because they were given without a passkey'),
  });
  const challenge = String((await item(id)).passkey_challenge);
  for (const [person, status] of [
    ['carol', 'pending'],
    ['bob', 'approved'],
  ] as const) {
    const own = await registered(person);
    expect(said(await approve(id, person, { passkey: own.sign(challenge, page) }))).toEqual([200, status]);
  }
});

describe('[approval.strictest-terms] of two approvals, the first no longer counts', () => {
  const twoPeople = configuration({ rules: publish('required: 2') });
  const ofCarol = twoPeople.replace('name: builder', 'name: builder, owner: carol');

  test.each([
    ['if its person has been removed', withoutCarol(twoPeople)],
    ['if the key of the request now belongs to its person', ofCarol],
  ])('%s', async (_when, text) => {
    await changeTo(twoPeople);
    const { id, session } = await asked();
    expect(said(await approve(id, 'carol'))).toEqual([200, 'pending']);
    await changeTo(text);
    const again = 'an approval in place of that of carol, who may no longer approve this request';
    expect(await item(id)).toMatchObject({ votes: [], terms_changed: expect.stringContaining(again) });
    expect(said(await approve(id, 'bob'))).toEqual([200, 'pending']);
    expect(said(await approve(id, 'alice'))).toEqual([200, 'approved']);
    const { entries } = (await call('GET', `/evidence/sessions/${session}/export`, 'alice')).body;
    const { body } = entries.find(({ kind }: { kind: string }) => kind === 'approve');
    expect(body.votes.map(({ person }: { person: string }) => person)).toEqual(['bob', 'alice']);
    expect((await asAgent(session, id)).matched_rule).toBe(`approved:${id}`);
    expect((await call('GET', `/evidence/sessions/${session}/verify`, 'alice')).body).toMatchObject({ valid: true });
  });

  test('but it does if its person only got another key', async () => {
    await changeTo(twoPeople);
    const { id } = await asked();
    await approve(id, 'carol');
    await changeTo(twoPeople.replace('key: carol-key-1', 'key: carol-key-2'));
    expect(said(await approve(id, 'bob'))).toEqual([200, 'approved']);
  });
});

test('[approval.bound] an approval is not used if its person has been removed, but it is if the person only got another key', async () => {
  const { id, session } = await asked();
  await approve(id, 'carol');
  const kept = await asked();
  await approve(kept.id, 'carol');
  await changeTo(configuration().replace('key: carol-key-1', 'key: carol-key-2'));
  expect((await asAgent(kept.session, kept.id)).matched_rule).toBe(`approved:${kept.id}`);
  await changeTo(withoutCarol(configuration()));
  const body = await asAgent(session, id);
  expect(body).toMatchObject({ decision: 'review', error: { data: { reason: 'policy_changed' } } });
  expect(body.envelope_id).not.toBe(id);
});

test('[approval.strictest-terms] a condition on a withheld value is treated as possibly matching', async () => {
  const { id } = await asked({ to: 'testers', password: 'correct horse battery' });
  const { id: named } = await asked({ to: 'testers', password: 'correct horse battery', copy: 1 });
  const onSecret = (glob: string, more = '') =>
    `{ protocol: git, tool: scm.publish, decision: review, arguments: { password: { glob: "${glob}" }${more} }, approval: { require_passkey: true } }, ${publish()}`;
  await change({ rules: onSecret('correct*') });
  expect(await item(id)).toMatchObject({ passkey_required: true });
  await change({ rules: onSecret('correct*', ', to: { equals: everyone }') });
  expect((await item(named)).passkey_required).toBeUndefined();
});

const unkeyed = (text: string) => text.replace(/ +- \{ key: agent-key-1.*\n/, '');

describe('[approval.obstacle] a request whose call could not run even if approved says so before the vote', () => {
  test('a rule that now blocks is shown on the item and in the list; the vote still counts but does not let the call run', async () => {
    const { id, session } = await asked();
    expect(await item(id)).not.toHaveProperty('cannot_run');
    await change({ rules: '{ protocol: git, tool: scm.publish, decision: block, reason: It is frozen. }' });
    const words =
      'Version 2 of the configuration blocks this call (git:scm.publish: It is frozen.). An approval does not lift a block.';
    for (const shown of [await item(id), await listed(id)]) expect(shown.cannot_run).toBe(words);
    expect(said(await approve(id))).toEqual([200, 'approved']);
    expect(await item(id)).not.toHaveProperty('cannot_run');
    const { body } = await call('POST', '/test-action', 'agent', {
      protocol: 'git',
      tool: 'scm.publish',
      target: 'acme/shop',
      capability: 'write',
      approval_ref: id,
      parameters: { to: 'everyone' },
      actor: { agent: 'builder', session },
    });
    expect(body.decision).toBe('block');
  });

  test('a rule that now allows the call, or a blocking rule for another call, is not an obstacle', async () => {
    const { id } = await asked();
    await change({ rules: '{ protocol: git, tool: scm.publish, decision: allow }' });
    expect(await item(id)).not.toHaveProperty('cannot_run');
    await change({ rules: `{ protocol: git, tool: scm.delete, decision: block }, ${publish()}` });
    expect(await item(id)).not.toHaveProperty('cannot_run');
  });

  test('a revoked key', async () => {
    const { id } = await asked();
    const put = await caller(gateway.ports)('PUT', '/admin/v1/config', {
      key: 'alice-key-1',
      raw: unkeyed(configuration()),
      headers: { 'content-type': 'application/yaml' },
    });
    expect(put.status).toBe(201);
    for (const shown of [await item(id), await listed(id)])
      expect(shown.cannot_run).toBe(
        'The key of this call was revoked after the call was requested. An approval does not let the call run.',
      );
  });
});

test("[approval.obstacle] a session or key stopped by the kill switch is an obstacle; another key's session is not", async () => {
  const { id, session } = await asked();
  const { id: calm } = await asked();
  expect(await item(id)).not.toHaveProperty('cannot_run');
  await change({ killSwitch: 40 });
  const remove = (n: number) =>
    call('POST', '/test-action', 'agent', {
      protocol: 'shell',
      tool: 'shell.rm',
      target: `/srv/data-${n}`,
      capability: 'execute',
      parameters: {},
      actor: { agent: 'builder', session },
    });
  for (let n = 0; (await remove(n)).status !== 403; n++) expect(n).toBeLessThan(50);
  const words = expect.stringMatching(/^The (session|key) is blocked: its risk score .* does not let the call run\.$/);
  for (const shown of [await item(id), await listed(id)]) expect(shown.cannot_run).toEqual(words);
  expect(await item(calm)).not.toHaveProperty('cannot_run');
});

describe('[approval.obstacle] pending requests that a reviewer might confuse refer to each other', () => {
  const named = (shown: { similar_pending?: { envelope_id: string }[] }) =>
    shown.similar_pending?.map(({ envelope_id }) => envelope_id);

  test('calls that differ only in case and spaces: a vote on one reports that the other is still pending', async () => {
    const { id: first } = await asked({ text: 'Ship it now' });
    const { id: second } = await asked({ text: ' ship  it\nNOW ' });
    const { id: other } = await asked({ text: 'Ship it later' });
    expect([named(await item(second)), named(await listed(second))]).toEqual([[first], [first]]);
    expect(named(await item(first))).toEqual([second]);
    const asAgent = await call('GET', `/approvals/${first}`, 'agent');
    expect(asAgent.body).toMatchObject({ status: 'pending' });
    expect(asAgent.body).not.toHaveProperty('similar_pending');
    for (const shown of [await item(other), await listed(other)]) expect(shown).not.toHaveProperty('similar_pending');
    const voted = await approve(second);
    expect([voted.body.status, named(voted.body)]).toEqual(['approved', [first]]);
    expect(await item(first)).toMatchObject({ status: 'pending' });
    expect(await item(first)).not.toHaveProperty('similar_pending');
    expect((await approve(first)).body).not.toHaveProperty('similar_pending');
  });
});
