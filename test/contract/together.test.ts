/** Identical calls of one session that a rule lets a person decide in one step: which they are, and that each has its own vote. */
import { caller } from '../support/call-endpoint.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';

const configuration = (approval = '{ together: true }', decision = 'review') => `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }, { id: bob, role: operator }]
tenants:
  - id: default
    api_keys:
      - { key: first-key-1, kind: service, name: first }
      - { key: second-key-1, kind: service, name: second, owner: bob }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
      - { key: bob-key-1, kind: human, person: bob }
  - id: other
    api_keys: [{ key: other-key-1, kind: service, name: other }]
evidence: { sensitive: ["$.parameters.token"] }
tool_policies:
  pack: null
  default_decision: allow
  rules:
    - { protocol: git, tool: scm.publish, decision: ${decision}, approval: ${approval} }
    - { protocol: git, tool: scm.delete, decision: review }
`;

let gateway: TestPorts;
beforeEach(async () => {
  gateway = await testPorts({ configuration: configuration() });
});
afterEach(() => gateway.stop());

const call = (method: string, path: string, key: string, body?: unknown, tenant?: string) =>
  caller(gateway.ports)(method, `/admin/v1${path}`, {
    key: `${key}-key-1`,
    ...(body !== undefined && { body }),
    ...(tenant !== undefined && { headers: { 'x-tenant-id': tenant } }),
  });
const act = async (key: string, over: object = {}, session = 'shared') => {
  const made = {
    protocol: 'git',
    tool: 'scm.publish',
    target: 'acme/shop',
    capability: 'write',
    parameters: { to: 'all' },
  };
  return (await call('POST', '/test-action', key, { ...made, ...over, actor: { agent: key, session } })).body;
};
const asked = async (...given: Parameters<typeof act>): Promise<string> => {
  const { decision, envelope_id } = await act(...given);
  expect(decision).toBe('review');
  return envelope_id;
};
const together = async (id: string, tenant?: string): Promise<string | undefined> =>
  (await call('GET', `/approvals/${id}`, 'alice', undefined, tenant)).body.together;
const change = async (text: string) =>
  caller(gateway.ports)('PUT', '/admin/v1/config', {
    ...{ key: 'alice-key-1', raw: text, headers: { 'content-type': 'application/yaml' } },
  });

test('[approval.together] identical calls of a session by several keys have one value, in the item and in the list', async () => {
  const [one, two] = [await asked('first'), await asked('second')];
  expect(one).not.toBe(two);
  expect(await together(one)).toMatch(/^[0-9a-f]{64}$/);
  expect(await together(two)).toBe(await together(one));
  const { pending } = (await call('GET', '/approvals', 'bob')).body;
  expect(pending.map((item: { together?: string }) => item.together)).toEqual([
    await together(one),
    await together(one),
  ]);
});

test.each<[string, () => Promise<string>, string]>([
  ['another session', () => asked('second', {}, 'another'), 'default'],
  ['other arguments', () => asked('second', { parameters: { to: 'few' } }), 'default'],
  ['another target', () => asked('second', { target: 'acme/shops' }), 'default'],
  ['another capability', () => asked('second', { capability: 'delete' }), 'default'],
  ['another tenant', () => asked('other'), 'other'],
])('[approval.together] a call with %s has another value', async (_, other, tenant) => {
  const one = await asked('first');
  const found = await together(await other(), tenant);
  expect(found).toMatch(/^[0-9a-f]{64}$/);
  expect(found).not.toBe(await together(one));
});

test('[approval.together] a rule that does not say so, and a withheld value, give none', async () => {
  expect(await together(await asked('first', { tool: 'scm.delete' }))).toBeUndefined();
  const hidden = await asked('first', { parameters: { to: 'all', token: 'a-secret' } });
  expect((await call('GET', `/approvals/${hidden}`, 'alice')).body.withheld).toEqual(['$.parameters.token']);
  expect(await together(hidden)).toBeUndefined();
});

test('[approval.together] the policy in force counts: taken away it is offered no more, added later it is not offered', async () => {
  const before = await asked('first');
  expect((await change(configuration('{ timeout_seconds: 900 }'))).status).toBe(201);
  expect(await together(before)).toBeUndefined();
  const between = await asked('second');
  expect((await change(configuration())).status).toBe(201);
  expect(await together(between)).toBeUndefined();
  // Of another version of the policy.
  expect(await together(before)).not.toBe(await together(await asked('second', {}, 'later')));
});

test('[approval.together] each call has a vote, an entry and a use of its own; separation of duties counts for each', async () => {
  const [one, two] = [await asked('first'), await asked('second')];
  const vote = (id: string, person: string) => call('POST', `/approvals/${id}/approve`, person, { reviewer: person });
  expect((await vote(two, 'bob')).body.error.type).toBe('separation_of_duties');
  expect((await vote(one, 'bob')).body.status).toBe('approved');
  expect((await act('second')).decision).toBe('review');
  expect((await act('first')).matched_rule).toBe(`approved:${one}`);
  expect((await vote(two, 'alice')).body.status).toBe('approved');
  expect((await act('second')).matched_rule).toBe(`approved:${two}`);
  expect((await act('second')).decision).toBe('review');
  const { entries } = (await call('GET', '/evidence/sessions/shared/export', 'alice')).body;
  const votes = entries.filter(({ kind }: { kind: string }) => kind === 'approve');
  expect(votes.map(({ body }: { body: { approval_id: string } }) => body.approval_id)).toEqual([one, two]);
});

test('[approval.together] a configuration with a rule that does not review is refused', async () => {
  const refused = await change(configuration('{ together: true }', 'block'));
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining(
      'approval.together: found true in a rule with the decision block; it is allowed in rules that review.',
    ),
  ]);
});
