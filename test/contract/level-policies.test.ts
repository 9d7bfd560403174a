/** Rules at organisation levels over HTTP: they apply only to the tenants below them. */

import * as z from 'zod';
import { runJob } from '#adapters/work/jobs.ts';
import { policyText } from '#core/actions/call-work.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import { caller } from '../support/call-endpoint.ts';
import { useGateway } from '../support/use-gateway.ts';
import { readCases } from '../support/yaml.ts';

const configuration = (team: string) => `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }]
tenants:
  - id: default
    api_keys:
      - { key: shop-agent, kind: agent, name: builder }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
  - id: lab
    api_keys:
      - { key: lab-agent, kind: agent, name: tinkerer }
      - { key: lab-service, kind: service, owner: alice, name: lab-ci, role: operator }
organizations:
  - id: acme
    policies: { rules: [{ protocol: git, tool: scm.delete_*, decision: block, reason: Acme deletes nothing. }] }
    teams:
      - id: web
        policies: { rules: [${team}] }
        projects:
          - id: shop
            environments:
              - id: production
                kind: production
                tenant: default
                policies: { rules: [{ protocol: git, capability: write, decision: review, reason: Production is reviewed. }] }
      - { id: research, projects: [{ id: lab, environments: [{ id: development, kind: development, tenant: lab }] }] }
tool_policies:
  pack: null
  default_decision: review
  rules: [{ protocol: git, tool: "scm.*", decision: allow }, { protocol: shell, decision: allow }]
`;
const noForce = '{ protocol: git, tool: scm.force_push, decision: block, reason: The team does not rewrite history. }';

const gateway = useGateway({ configuration: configuration(noForce) }, 'test');

const call = (method: string, path: string, key: string, body?: unknown) =>
  caller(gateway.ports)(method, path, { key, ...(body !== undefined && { body }) });
const act = async (key: string, tool: string, capability = 'write', more: object = {}) =>
  (
    await call('POST', '/admin/v1/test-action', key, {
      protocol: 'git',
      tool,
      target: 'acme/shop',
      capability,
      parameters: {},
      actor: { agent: 'a', session: key },
      ...more,
    })
  ).body;

test('[identity.organizations] the strictest level wins, and a level applies only to the tenants below it', async () => {
  expect(await act('shop-agent', 'scm.get_file', 'read')).toMatchObject({ decision: 'allow' });
  expect(await act('lab-agent', 'scm.force_push')).toMatchObject({ decision: 'allow' });
  expect(await act('shop-agent', 'scm.force_push')).toMatchObject({
    decision: 'block',
    matched_rule: 'level:acme/web:git:scm.force_push',
  });
  for (const key of ['shop-agent', 'lab-agent'])
    expect(await act(key, 'scm.delete_branch')).toMatchObject({
      decision: 'block',
      matched_rule: 'level:acme:git:scm.delete_*',
    });
  expect(await act('shop-agent', 'scm.create_branch')).toMatchObject({
    decision: 'review',
    matched_rule: 'level:acme/web/shop/production:git:*',
  });
  expect(await act('shop-agent', 'scm.force_push', 'write', { dry_run: true })).toMatchObject({ decision: 'block' });
  const asked = { protocol: 'git', tool: 'scm.force_push', target: 'acme/shop', capability: 'write' };
  const simulated = async (key: string) =>
    (await call('POST', '/admin/v1/simulate', key, { calls: [asked] })).body.results[0].decision;
  expect([await simulated('shop-agent'), await simulated('lab-agent')]).toEqual(['block', 'allow']);
});

test('[identity.organizations] a large call evaluated in a worker is subject to the same rules', async () => {
  const snapshot = await gateway.ports.snapshots.current();
  const call = { protocol: 'git', tool: 'scm.force_push', target: 'acme/shop', capability: 'write', parameters: {} };
  const decided = async (tenant: string) => {
    const policy = policyText(ofTenant(snapshot, tenant).policyDocument);
    const answer = await runJob({ kind: 'decide', given: { call, policy } });
    return 'value' in answer ? (answer.value as PolicyDecision).matched_rule : answer.error;
  };
  expect(await decided('default')).toBe('level:acme/web:git:scm.force_push');
  expect(await decided('lab')).toBe('git:scm.*');
});

test('[identity.organizations] why names the level, and a later block stops an approved call', async () => {
  const { envelope_id: id } = await act('shop-agent', 'scm.create_branch');
  const why = (await call('GET', `/admin/v1/actions/${id}/why`, 'alice-key-1')).body;
  expect(why).toMatchObject({ decision: 'review', decided_by: 'level' });
  expect(
    why.trace.filter(({ matched }: { matched: boolean }) => matched).map(({ rule }: { rule: string }) => rule),
  ).toEqual(['git:scm.*', 'level:acme/web/shop/production:git:*']);
  const approved = await call('POST', `/admin/v1/approvals/${id}/approve`, 'alice-key-1', { reviewer: 'alice' });
  expect(approved.body.status).toBe('approved');
  const put = (text: string) =>
    caller(gateway.ports)('PUT', '/admin/v1/config', {
      key: 'alice-key-1',
      raw: text,
      headers: { 'content-type': 'application/yaml' },
    });
  expect((await put(configuration('{ protocol: git, tool: scm.create_branch, decision: block }'))).status).toBe(201);
  expect(await act('shop-agent', 'scm.create_branch', 'write', { approval_ref: id })).toMatchObject({
    decision: 'block',
    matched_rule: 'level:acme/web:git:scm.create_branch',
  });
  const loosened = await put(configuration('{ protocol: git, tool: scm.delete_branch, decision: allow }'));
  expect([loosened.status, loosened.body.error.message]).toEqual([
    400,
    expect.stringMatching(
      /teams\[0\]\.policies\.rules\[0\]\.decision.*acme decides block.*"tool":"scm\.delete_branch"/s,
    ),
  ]);
});

test('[approval.strictest-terms] [identity.organizations] a review rule without a passkey does not lift the passkey required by a level', async () => {
  const own = configuration(
    '{ protocol: git, tool: scm.publish, decision: review, approval: { require_passkey: true, timeout_seconds: 60 } }',
  ).replace(
    'rules: [{ protocol: git, tool: "scm.*"',
    'rules: [{ protocol: git, tool: scm.publish, decision: review }, { protocol: git, tool: "scm.*"',
  );
  const put = await caller(gateway.ports)('PUT', '/admin/v1/config', {
    key: 'alice-key-1',
    raw: own,
    headers: { 'content-type': 'application/yaml' },
  });
  expect(put.status).toBe(201);
  const { envelope_id: id } = await act('shop-agent', 'scm.publish');
  const { body } = await call('GET', `/admin/v1/approvals/${id}`, 'alice-key-1');
  expect(body).toMatchObject({ passkey_required: true, status: 'pending' });
  expect(Date.parse(body.expires_at) - Date.parse(body.queued_at)).toBe(60_000);
  const vote = await call('POST', `/admin/v1/approvals/${id}/approve`, 'alice-key-1', { reviewer: 'alice' });
  expect([vote.status, vote.body.error.message]).toEqual([403, expect.stringContaining('only with a passkey')]);
  const { envelope_id: elsewhere } = await act('lab-agent', 'scm.publish');
  const other = (await call('GET', `/admin/v1/approvals/${elsewhere}`, 'alice-key-1')).body;
  expect(other.passkey_required).toBeUndefined();
});

test('[policy.simulate] a policy simulation returns the decision with levels, trace, effects and the exact difference, and stores nothing', async () => {
  const asked = { protocol: 'git', tool: 'scm.tag', target: 'acme/shop', capability: 'read' };
  const tried = (key: string, tool_policies: object, more: object = {}) =>
    call('POST', '/admin/v1/simulate', key, { calls: [asked], tool_policies, explain: true, ...more });
  const block = { protocol: 'git', tool: 'scm.tag', decision: 'block', reason: 'No tags today.' };
  const { status, body } = await tried('alice-key-1', { pack: null, default_decision: 'review', rules: [block] });
  expect([status, body.results[0]]).toEqual([
    200,
    expect.objectContaining({
      decision: 'block',
      matched_rule: 'git:scm.tag',
      reason: 'No tags today.',
      trace: expect.arrayContaining([expect.objectContaining({ rule: 'git:scm.tag', matched: true })]),
      effects: expect.any(Array),
    }),
  ]);
  expect(body.diff).toMatchObject({
    analysed: true,
    loosened: [],
    tightened: expect.arrayContaining([
      expect.objectContaining({ from: 'allow', to: 'block', rule_after: 'git:scm.tag' }),
    ]),
  });
  // The levels of the tenant stay in force in addition to the draft.
  const open = await tried(
    'alice-key-1',
    { pack: null, default_decision: 'allow', rules: [] },
    {
      calls: [{ ...asked, tool: 'scm.force_push', capability: 'write' }],
    },
  );
  expect(open.body.results[0]).toMatchObject({ decision: 'block', matched_rule: 'level:acme/web:git:scm.force_push' });
  const wrong = await tried('alice-key-1', { pack: null, rules: [{ ...block, decision: 'maybe' }] });
  expect([wrong.status, wrong.body.error.message]).toEqual([
    400,
    expect.stringContaining('tool_policies.rules[0].decision'),
  ]);
  expect((await tried('alice-key-1', { rules: [] }, { version: 1 })).status).toBe(400);
  expect((await tried('shop-agent', { pack: null, rules: [block] })).status).toBe(403);
  expect((await call('GET', '/admin/v1/policy-versions', 'alice-key-1')).body.current).toBe(1);
  expect(await act('shop-agent', 'scm.tag', 'read')).not.toMatchObject({ decision: 'block' });
});

test('[policy-version.own-tenant] a draft is evaluated with the levels above the caller, and its errors do not reveal other levels', async () => {
  const block = { protocol: 'git', capability: 'write', decision: 'block', reason: 'No writes.' };
  const tried = (key: string) =>
    call('POST', '/admin/v1/simulate', key, {
      calls: [{ protocol: 'git', tool: 'scm.tag', target: 'acme/lab', capability: 'write' }],
      tool_policies: { pack: null, default_decision: 'review', rules: [block] },
    });
  // The environment of the shop reviews what the draft blocks: what the platform reads of it is refused.
  expect(JSON.stringify(await tried('alice-key-1'))).toContain('teams[0]');
  const { status, body } = await tried('lab-service');
  expect([status, body.results[0].decision, body.warnings]).toEqual([200, 'block', []]);
});

/** Members that would let lower levels loosen rules: sections for the whole deployment, or in `tool_policies`. */
const loosening = readCases('test/contract/level-policies.yaml', z.record(z.string(), z.string()));
test.each(Object.entries(loosening))(
  '[identity.organizations] a level with a member %s is rejected, and the error names its location',
  async (name, member) => {
    const level = configuration(noForce).replace(/ {8}policies: .*force_push.*\n/, `        ${member}\n`);
    expect(level).toContain(member);
    const { status, body } = await caller(gateway.ports)('PUT', '/admin/v1/config', {
      key: 'alice-key-1',
      raw: level,
      headers: { 'content-type': 'application/yaml' },
    });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(`teams\\[0\\][\\w.\\[\\]]*\\.${name} `)]);
  },
);
