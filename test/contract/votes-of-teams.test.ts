/** Votes of teams for one tool in approvals, simulate, dry runs and why, over HTTP and the embedded store. */
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

const teams = `organizations:
  - { id: acme, teams: [{ id: web, members: [bob, dave] }, { id: security, members: [alice, carol] }] }
`;
const ofSecurity = rule('required: 2, from_teams: [acme/security]');

test.each([
  ['a rule of the configuration', configuration(ofSecurity) + teams],
  [
    'a rule of a pack',
    configuration().replace(
      'pack: null, default_decision: review',
      `pack: { name: own, default_decision: review, rules: [${ofSecurity}] }`,
    ) + teams,
  ],
])('[identity.separation-rules] %s counts only votes of its teams', async (_what, text) => {
  gateway = await testPorts({ configuration: text });
  const { envelope_id: id } = await act();
  const refused = [403, 'separation_of_duties', expect.stringContaining('2 more approvals of acme/security')];
  expect(await vote(id, 'bob')).toEqual(refused);
  expect(await item(id)).toMatchObject({ status: 'pending', votes: [] });
  expect(await vote(id, 'carol')).toEqual([
    200,
    'pending',
    expect.stringContaining('1 more approval of acme/security'),
  ]);
  expect((await vote(id, 'bob')).slice(0, 2)).toEqual([403, 'separation_of_duties']);
  expect((await vote(id, 'alice')).slice(0, 2)).toEqual([200, 'approved']);
  expect((await act({ approval_ref: id })).matched_rule).toBe(`approved:${id}`);
});

const needs = '2 approvals of acme/security (two for a merge)';

test('[approval.strictest-terms] simulate, dry run and why report how many approvals a review needs, and of whom', async () => {
  gateway = await testPorts({ configuration: configuration(ofSecurity) + teams });
  const merge = { protocol: 'git', tool: 'scm.merge_pull_request', target: 'acme/shop', capability: 'write' };
  const other = { ...merge, tool: 'scm.close_issue' };
  const { body } = await call('POST', '/simulate', 'agent', { calls: [merge, other] });
  expect(body.results.map((each: { needs?: string }) => each.needs)).toEqual([needs, undefined]);

  const tried = await act({ dry_run: true });
  expect(tried.error).toMatchObject({ message: `scm.merge_pull_request would need ${needs}.`, data: { needs } });
  expect((await act({ dry_run: true, tool: 'scm.close_issue' })).error).toMatchObject({
    message: "scm.close_issue would need a human's approval.",
    data: {},
  });

  const { envelope_id: id } = await act();
  expect((await call('GET', `/actions/${id}/why`, 'bob')).body).toMatchObject({ decision: 'review', needs });
  const { envelope_id: plain } = await act({ tool: 'scm.close_issue' });
  expect((await call('GET', `/actions/${plain}/why`, 'bob')).body).not.toHaveProperty('needs');
});

test('[approval.strictest-terms] rules of separation count in as for the request itself, and so does a passkey', async () => {
  const separated = `organizations:
  - { id: acme, teams: [{ id: web, members: [bob, carol, dave], projects: [{ id: shop, environments: [{ id: live, kind: production, tenant: default }] }] }] }
separation_rules: [{ name: four-eyes, applies_to: "acme/**", requires: { approvals: 2 } }]
`;
  gateway = await testPorts({ configuration: configuration(rule('require_passkey: true')) + separated });
  const merge = { protocol: 'git', tool: 'scm.merge_pull_request', target: 'acme/shop', capability: 'write' };
  const { body } = await call('POST', '/simulate', 'agent', { calls: [merge] });
  const words = '2 approvals (four-eyes), each with a passkey';
  expect(body.results[0].needs).toBe(words);
  const { envelope_id: id } = await act();
  expect((await call('GET', `/actions/${id}/why`, 'bob')).body.needs).toBe(words);
});
