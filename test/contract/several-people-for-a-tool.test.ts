/** Two people for one tool: a rule of the tool policy says so, without an organisation; votes over HTTP and the embedded store. */
import { verifyBundle } from '#core/evidence/verify.ts';
import { caller } from '../support/call-endpoint.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';

const rule = (approval: string, tool = 'scm.merge_pull_request') =>
  `{ name: two for a merge, protocol: git, tool: ${tool}, decision: review${approval && `, approval: { ${approval} }`} }`;
const configuration = (...rules: readonly string[]) => `version: 1
people:
  - { id: alice, role: admin, tenants: ["*"] }
  - { id: bob, role: operator }
  - { id: carol, role: operator }
  - { id: dave, role: operator }
tenants:
  - id: default
    api_keys:
      - { key: agent-key-1, kind: agent, name: builder, owner: dave }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
      - { key: bob-key-1, kind: human, person: bob }
      - { key: carol-key-1, kind: human, person: carol }
      - { key: dave-key-1, kind: human, person: dave }
tool_policies: { pack: null, default_decision: review, rules: [${rules.join(', ')}] }
`;

let gateway: TestPorts;
const start = async (...rules: readonly string[]) => {
  gateway = await testPorts({ configuration: configuration(...rules) });
};
afterEach(() => gateway.stop());

const call = (method: string, path: string, person: string, body?: unknown) =>
  caller(gateway.ports)(method, `/admin/v1${path}`, { key: `${person}-key-1`, ...(body !== undefined && { body }) });
const act = async (more: object = {}) => {
  const { body } = await call('POST', '/test-action', 'agent', {
    ...{ protocol: 'git', tool: 'scm.merge_pull_request', target: 'acme/shop', capability: 'write' },
    ...{ parameters: { number: 7 }, actor: { agent: 'builder', session: 'release' }, ...more },
  });
  return body;
};
const vote = async (id: string, person: string, verb = 'approve') => {
  const { status, body } = await call('POST', `/approvals/${id}/${verb}`, person, { reviewer: person });
  return [status, body.error?.type ?? body.status, body.error?.message ?? body.still_needed];
};
const item = async (id: string) => (await call('GET', `/approvals/${id}`, 'bob')).body;

test('[approval.several-people] a rule that requires two waits for two people; the same person and the owner of the key do not count', async () => {
  await start(rule('required: 2'));
  const { envelope_id: id } = await act();
  expect(await item(id)).toMatchObject({
    requires: [{ rule: 'two for a merge', approvals: 2 }],
    still_needed: '2 more approvals (two for a merge)',
  });
  const first = await vote(id, 'carol');
  expect(first).toEqual([200, 'pending', expect.stringMatching(/^1 more approval \(two for a merge\), 1 of 2 given$/)]);
  expect((await act({ approval_ref: id })).decision).toBe('review');
  expect((await vote(id, 'carol')).slice(0, 2)).toEqual([409, 'conflict']);
  expect((await vote(id, 'dave')).slice(0, 2)).toEqual([403, 'separation_of_duties']);
  expect((await vote(id, 'bob')).slice(0, 2)).toEqual([200, 'approved']);
  expect((await act({ approval_ref: id })).matched_rule).toBe(`approved:${id}`);
  expect((await act({ approval_ref: id })).decision).toBe('review');
  const bundle = (await call('GET', '/evidence/sessions/release/export', 'alice')).body;
  const approve = bundle.entries.find(({ kind }: { kind: string }) => kind === 'approve');
  expect(approve.body.votes.map(({ person }: { person: string }) => person)).toEqual(['carol', 'bob']);
  expect((await verifyBundle(bundle)).valid).toBe(true);
});

test('[approval.several-people] one denial ends it; another tool still takes one approval', async () => {
  await start(rule('required: 2'));
  const { envelope_id: id } = await act();
  await vote(id, 'carol');
  expect((await vote(id, 'bob', 'deny')).slice(0, 2)).toEqual([200, 'denied']);
  const { envelope_id: other } = await act({ tool: 'scm.close_issue' });
  expect(await item(other)).not.toHaveProperty('requires');
  expect((await vote(other, 'carol')).slice(0, 2)).toEqual([200, 'approved']);
});

test('[approval.several-people] with roles only approvals given with one of these count', async () => {
  await start(rule('roles: [admin]'));
  const { envelope_id: id } = await act();
  expect(await vote(id, 'bob')).toEqual([403, 'separation_of_duties', expect.stringContaining('with the role admin')]);
  expect((await vote(id, 'alice')).slice(0, 2)).toEqual([200, 'approved']);
});

test('[approval.several-people] [approval.terms-now] a rule that requires more by now is asked for of a request that waits', async () => {
  await start(rule(''));
  const { envelope_id: id } = await act();
  const put = (text: string) =>
    caller(gateway.ports)('PUT', '/admin/v1/config', {
      ...{ key: 'alice-key-1', raw: text, headers: { 'content-type': 'application/yaml' } },
    });
  expect((await put(configuration(rule('required: 2')))).status).toBe(201);
  expect(await item(id)).toMatchObject({ terms_changed: expect.stringContaining('2 more approvals') });
  expect((await vote(id, 'bob')).slice(0, 2)).toEqual([200, 'pending']);
  expect((await put(configuration(rule('')))).status).toBe(201);
  expect((await vote(id, 'carol')).slice(0, 2)).toEqual([200, 'approved']);
});
