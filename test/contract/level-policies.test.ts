/** Rules of levels of an organisation over HTTP: they hold for the tenants below them, and for no other. */
import { done } from '#adapters/work/jobs.ts';
import { policyText } from '#core/actions/call-work.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { PolicyDecision } from '#core/tool-policy/decide.ts';
import { caller } from '../support/call-endpoint.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';

const configuration = (team: string) => `version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }]
tenants:
  - id: default
    api_keys:
      - { key: shop-agent, kind: agent, name: builder }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
  - { id: lab, api_keys: [{ key: lab-agent, kind: agent, name: tinkerer }] }
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

let gateway: TestPorts;
beforeEach(async () => {
  gateway = await testPorts({ configuration: configuration(noForce) });
});
afterEach(() => gateway.stop());

const call = (method: string, path: string, key: string, body?: unknown) =>
  caller(gateway.ports)(method, path, { key, ...(body !== undefined && { body }) });
const act = async (key: string, tool: string, capability = 'write', more: object = {}) =>
  (
    await call('POST', '/admin/v1/test-action', key, {
      ...{
        protocol: 'git',
        tool,
        target: 'acme/shop',
        capability,
        parameters: {},
        actor: { agent: 'a', session: key },
      },
      ...more,
    })
  ).body;

test('[identity.level-policies] the worst of all levels decides, for the tenants below a level alone', async () => {
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

test('[identity.level-policies] a large call, which a worker decides, meets the same rules', async () => {
  const snapshot = await gateway.ports.snapshots.current();
  const call = { protocol: 'git', tool: 'scm.force_push', target: 'acme/shop', capability: 'write', parameters: {} };
  const decided = async (tenant: string) => {
    const policy = policyText(ofTenant(snapshot, tenant).policyDocument);
    const answer = await done({ kind: 'decide', given: { call, policy } });
    return 'value' in answer ? (answer.value as PolicyDecision).matched_rule : answer.error;
  };
  expect(await decided('default')).toBe('level:acme/web:git:scm.force_push');
  expect(await decided('lab')).toBe('git:scm.*');
});

test('[identity.level-policies] why names the level; an approved call meets a block that came meanwhile', async () => {
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
      ...{ key: 'alice-key-1', raw: text, headers: { 'content-type': 'application/yaml' } },
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
