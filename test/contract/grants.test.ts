/** Roles by organisation level, and credentials by rule. */
import { voterOf } from '#core/configuration/identity/separation-of-duties.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

/** Roles by organisation level, over HTTP and the embedded store. */
describe('roles', () => {
  const configuration = (grants: string) => `version: 1
people:
  - { id: alice, role: admin, tenants: ["*"] }
  - { id: bob, role: operator, tenants: [home], slack_id: "T01/U01" }
  - { id: dave, role: operator }
tenants:
  - id: home
    api_keys:
      - { key: bob-key-1, kind: human, person: bob, role: operator }
      - { key: alice-key-1, kind: human, person: alice, role: admin, platform: true }
  - { id: shop, api_keys: [{ key: agent-key-1, kind: agent, name: builder, owner: dave }] }
  - { id: bank, api_keys: [{ key: agent-key-2, kind: agent, name: teller, owner: dave }] }
organizations:
  - id: acme
    teams:
      - id: web
        projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: shop }] }]
        ${grants}
      - { id: money, projects: [{ id: bank, environments: [{ id: production, kind: production, tenant: bank }] }] }
tool_policies: { rules: [{ protocol: git, tool: "scm.*", decision: review }] }
`;

  let gateway: TestPorts;
  afterEach(() => gateway.stop());
  const start = async (grants: string) => {
    gateway = await testPorts({ configuration: configuration(grants) });
  };
  const call = (method: string, path: string, key: string, tenant?: string, body?: unknown) =>
    caller(gateway.ports)(method, path, {
      key,
      ...(body !== undefined && { body }),
      ...(tenant !== undefined && { headers: { 'x-tenant-id': tenant } }),
    });
  const asked = async (key: string) => {
    const action = { protocol: 'git', tool: 'scm.merge_pull_request', target: 'acme/shop', capability: 'write' };
    return (await call('POST', '/admin/v1/test-action', key, undefined, action)).body.envelope_id;
  };
  const vote = (id: string, tenant: string) =>
    call('POST', `/admin/v1/approvals/${id}/approve`, 'bob-key-1', tenant, { reviewer: 'bob' });

  test("[identity.organizations] a team's operator can decide in the team's tenants, and in no others", async () => {
    await start('grants: [{ person: bob, role: operator }]');
    const voted = await vote(await asked('agent-key-1'), 'shop');
    expect([voted.status, voted.body.status]).toEqual([200, 'approved']);
    const foreign = await vote(await asked('agent-key-2'), 'bank');
    expect([foreign.status, foreign.body.error.type]).toEqual([403, 'forbidden']);
    const { people } = (await call('GET', '/admin/v1/identity/identities', 'alice-key-1')).body;
    expect(people.find(({ id }: { id: string }) => id === 'bob')).toMatchObject({
      tenants: ['home'],
      grants: [{ path: 'acme/web', role: 'operator' }],
      accounts: ['slack'],
    });
  });

  test('[identity.organizations] a person granted only the viewer role cannot decide, even if the key may do so in its own tenant', async () => {
    await start('grants: [{ person: bob, role: viewer }]');
    const id = await asked('agent-key-1');
    const seen = await call('GET', '/admin/v1/whoami', 'bob-key-1', 'shop');
    expect(seen.body).toMatchObject({ tenant: 'shop', role: 'viewer' });
    expect((await call('GET', '/admin/v1/whoami', 'bob-key-1')).body).toMatchObject({
      tenant: 'home',
      role: 'operator',
    });
    const voted = await vote(id, 'shop');
    expect([voted.status, voted.body.error.message]).toEqual([
      403,
      expect.stringContaining('this key has the role viewer'),
    ]);
    const { configuration: inForce } = await gateway.ports.snapshots.current();
    const bob = inForce.people.find(({ id }) => id === 'bob');
    const account = { name: 'Slack', member: 'slack_id', key_id: 'slack:T01/U01' } as const;
    expect(() => voterOf({ configuration: inForce }, bob, account, 'shop')).toThrow('Found role viewer');
    expect(voterOf({ configuration: inForce }, bob, account, 'home')).toMatchObject({ role: 'operator' });
  });

  test("[identity.organizations] without a grant, another team's tenant is not accessible", async () => {
    await start('');
    const listed = await call('GET', '/admin/v1/approvals', 'bob-key-1', 'shop');
    expect(listed.status).toBe(403);
  });

  describe('[admin.by-path]', () => {
    const tenantsIn = async (route: string, key: string, path: string) => {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const query = new URLSearchParams({ path, limit: '1', ...(cursor !== undefined && { cursor }) });
        const { status, body } = await call('GET', `/admin/v1/${route}?${query}`, key);
        expect(status).toBe(200);
        found.push(...(body.sessions ?? body.entries).map(({ tenant }: { tenant: string }) => tenant));
        cursor = body.cursor;
      } while (cursor !== undefined);
      return [...new Set(found)];
    };

    test('lists sessions below a path, page by page, limited to tenants the caller may read', async () => {
      await start('grants: [{ person: bob, role: operator }]');
      for (const key of ['agent-key-1', 'agent-key-2', 'agent-key-1']) await asked(key);
      for (const route of ['evidence/sessions', 'audit']) {
        expect(await tenantsIn(route, 'alice-key-1', 'acme')).toEqual(['shop', 'bank']);
        expect(await tenantsIn(route, 'alice-key-1', 'acme/**/production')).toEqual(['shop', 'bank']);
        expect(await tenantsIn(route, 'alice-key-1', 'acme/money')).toEqual(['bank']);
        expect(await tenantsIn(route, 'bob-key-1', 'acme')).toEqual(['shop']);
        expect(await tenantsIn(route, 'bob-key-1', 'acme/mon')).toEqual([]);
      }
    });

    test("a tenant's viewer cannot read its evidence, and a cursor from another list is refused", async () => {
      await start('grants: [{ person: bob, role: viewer }]');
      await asked('agent-key-1');
      expect(await tenantsIn('audit', 'bob-key-1', 'acme')).toEqual([]);
      for (const cursor of ['nonsense', Buffer.from('{"tenant":"bank"}').toString('base64url')]) {
        const { status, body } = await call('GET', `/admin/v1/audit?path=acme/web&cursor=${cursor}`, 'alice-key-1');
        expect([status, body.error.message]).toEqual([400, expect.stringContaining('not issued for this path')]);
      }
      expect((await call('GET', '/admin/v1/audit?path=%5Ba', 'alice-key-1')).status).toBe(400);
    });
  });

  test.each([
    ['an unknown person', '[{ person: eve, role: viewer }]', 'found "eve", allowed'],
    [
      'a person twice',
      '[{ person: bob, role: viewer }, { person: bob, role: admin }]',
      '"bob" has two grants at this level',
    ],
    ['an unknown role', '[{ person: bob, role: owner }]', 'grants[0].role'],
  ])('[identity.organizations] %s is rejected when the configuration is loaded', async (_, grants, message) => {
    await start('');
    const { body, status } = await caller(gateway.ports)('PUT', '/admin/v1/config', {
      key: 'alice-key-1',
      raw: configuration(`grants: ${grants}`),
      headers: { 'content-type': 'application/yaml' },
    });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

/**
 * The credential of an approved call comes from the rule that allowed it, whichever check turned the decision into a
 * review.
 */
describe('credentials', () => {
  const scope = 'issues:write';
  const toolPolicies = `
  pack: null
  default_decision: review
  rules:
    - { protocol: git, tool: scm.add_label, decision: allow, credential: { broker: scm, scope: "${scope}", ttl_seconds: 60 } }
    - { protocol: git, tool: scm.read_label, decision: allow }
    - { protocol: shell, tool: "shell.*", decision: allow, credential: { broker: scm, scope: "${scope}", ttl_seconds: 60 } }
    - { protocol: git, tool: scm.lock, decision: review, credential: { broker: scm, scope: "lock:own", ttl_seconds: 60 } }`;

  let gateway: TestPorts | undefined;
  afterEach(() => gateway?.stop());

  async function started(extra = '', tenants = '') {
    gateway = await testPorts({ toolPolicies, extra, tenants });
    return caller(gateway.ports);
  }

  const label = {
    protocol: 'git',
    tool: 'scm.add_label',
    target: 'acme/a',
    capability: 'write',
    parameters: { label: 'x' },
  };
  const actor = { agent: 'writer', session: 's' };

  /** Makes the call, approves it, and makes it again. */
  async function approved(call: ReturnType<typeof caller>, body: object) {
    const act = async (more: object = {}) =>
      (await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { actor, ...body, ...more } })).body;
    const { decision, matched_rule, envelope_id } = await act();
    expect(decision).toBe('review');
    const path = `/admin/v1/approvals/${envelope_id}`;
    const { body: card } = await call('GET', path, { key: keys.human });
    expect((await call('POST', `${path}/approve`, { key: keys.human, body: { reviewer: 'Ana' } })).status).toBe(200);
    const made = await act({ approval_ref: envelope_id });
    expect(made.decision).toBe('allow');
    return { matched_rule, onCard: card.credential?.scope, got: made.credential?.scope };
  }

  describe('[credential.minted] the credential from the allowing rule is on the card and issued after approval when', () => {
    test('the tool guard requires a review', async () => {
      const call = await started();
      const parameters = { path: '/etc/hosts' };
      const outcome = await approved(call, { ...label, parameters, roots: ['/srv/data'] });
      expect(outcome).toEqual({ matched_rule: 'tool_guard:outside_roots', onCard: scope, got: scope });
    });

    test('a task manifest requires a review', async () => {
      const call = await started('manifests: { enforcement_mode: review }');
      const manifest = {
        name: 'read only',
        sessions: ['s'],
        tools: ['scm.get_*'],
        expires_at: '2026-01-01T01:00:00.000Z',
      };
      const { body, status } = await call('POST', '/admin/v1/manifests', { key: keys.human, body: manifest });
      expect([status, body.error]).toEqual([201, undefined]);
      const outcome = await approved(call, label);
      expect(outcome).toMatchObject({ onCard: scope, got: scope });
      expect(outcome.matched_rule).toMatch(/^manifest:/);
    });

    test("the call's text cannot be parsed with certainty", async () => {
      const call = await started();
      const line = 'deploy "$TARGET"';
      const run = {
        protocol: 'shell',
        tool: 'shell.run',
        target: line,
        capability: 'execute',
        parameters: { command: line },
      };
      expect(await approved(call, run)).toEqual({ matched_rule: 'effects:unclear', onCard: scope, got: scope });
    });
  });

  test.each([
    ['a rule that reviews has its own', { ...label, tool: 'scm.lock' }, 'lock:own'],
    ['no rule allowed it', { ...label, tool: 'scm.other' }, undefined],
  ])('[credential.minted] %s', async (_name, body, expected) => {
    const outcome = await approved(await started(), body);
    expect([outcome.onCard, outcome.got]).toEqual([expected, expected]);
  });

  test('[credential.minted] an allowed call whose rule grants no credential gets none if the guard requires a review', async () => {
    const parameters = { path: '/etc/hosts' };
    const body = { ...label, tool: 'scm.read_label', capability: 'read', parameters, roots: ['/srv/data'] };
    const outcome = await approved(await started(), body);
    expect([outcome.onCard, outcome.got]).toEqual([undefined, undefined]);
  });
});
