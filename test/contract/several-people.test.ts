/** Approvals by several people and by teams, over HTTP and the embedded store. */
import { verifyBundle } from '#core/evidence/verify.ts';
import { caller } from '../support/call-endpoint.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';

/**
 * Approvals by several people, required by an organisation's rules or the tool policy's, over HTTP and with the
 * embedded store.
 */
describe('several people', () => {
  const people = `
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
      - { key: dave-key-1, kind: human, person: dave }`;
  const rules = (more = '') => `version: 1${people}
  - { id: other, api_keys: [{ key: other-key-1, kind: human, person: alice, role: viewer }] }
organizations:
  - id: acme
    teams:
      - id: web
        members: [dave, carol]
        projects: [{ id: shop, environments: [{ id: production, kind: production, tenant: default }] }]
      - { id: security, members: [alice, bob] }
separation_rules:
  - { name: four-eyes, applies_to: "acme/**/production", capability: write, requires: { approvals: 2 } }
  - { name: security-says, applies_to: "acme/**", capability: "{write,delete}", requires: { from_teams: [acme/security], not_same_team: true } }
tool_policies: { rules: [{ protocol: git, tool: "scm.*", decision: review }] }
${more}`;
  const toolRule = (approval: string) =>
    `version: 1${people}
tool_policies: { pack: null, default_decision: review, rules: [{ name: two for a merge, protocol: git, tool: scm.merge_pull_request, decision: review${approval && `, approval: { ${approval} }`} }] }
`;

  let gateway: TestPorts;
  const start = async (configuration: string) => {
    gateway = await testPorts({ configuration });
  };
  afterEach(() => gateway.stop());

  const call = (method: string, path: string, key: string, body?: unknown) =>
    caller(gateway.ports)(method, path, { key, ...(body !== undefined && { body }) });
  const act = async (more: object = {}) => {
    const { status, body } = await call('POST', '/admin/v1/test-action', 'agent-key-1', {
      protocol: 'git',
      tool: 'scm.merge_pull_request',
      target: 'acme/shop',
      capability: 'write',
      parameters: { number: 7 },
      actor: { agent: 'builder', session: 'release' },
      ...more,
    });
    expect(status).toBe(200);
    return body;
  };
  const vote = (id: string, person: string, verb = 'approve') =>
    call('POST', `/admin/v1/approvals/${id}/${verb}`, `${person}-key-1`, { reviewer: person, comment: `by ${person}` });
  const item = async (id: string) => (await call('GET', `/admin/v1/approvals/${id}`, 'bob-key-1')).body;
  const put = async (raw: string) => {
    const sent = { key: 'alice-key-1', raw, headers: { 'content-type': 'application/yaml' } };
    const { status, text } = await caller(gateway.ports)('PUT', '/admin/v1/config', sent);
    expect([status, text.slice(0, 300)]).toEqual([201, expect.any(String)]);
  };

  describe.each([
    {
      asked: 'by rules of separation',
      configuration: rules(),
      requires: [{ rule: 'four-eyes' }, { rule: 'security-says', not_of_teams: ['acme/web'] }],
      neededAtFirst: expect.stringContaining('1 more approval of acme/security'),
      neededThen: expect.stringContaining('1 more approval (four-eyes)'),
      firstVote: { person: 'carol', teams: ['acme/web'], comment: 'by carol' },
    },
    {
      asked: 'by a rule of the tool policy',
      configuration: toolRule('required: 2'),
      requires: [{ rule: 'two for a merge', approvals: 2 }],
      neededAtFirst: '2 more approvals (two for a merge)',
      neededThen: expect.stringMatching(/^1 more approval \(two for a merge\), 1 of 2 given$/),
      firstVote: { person: 'carol', comment: 'by carol' },
    },
  ])(
    'votes from several people are required $asked',
    ({ configuration, requires, neededAtFirst, neededThen, firstVote }) => {
      beforeEach(() => start(configuration));

      test('[identity.separation-rules] approvals are collected until there are enough; each is recorded in evidence, and the combined approval is used once', async () => {
        const { envelope_id: id } = await act();
        expect(await item(id)).toMatchObject({ status: 'pending', requires, still_needed: neededAtFirst });
        const first = await vote(id, 'carol');
        expect([first.status, first.body.status, first.body.still_needed]).toEqual([200, 'pending', neededThen]);
        expect((await act({ approval_ref: id })).decision).toBe('review');
        const again = await vote(id, 'carol');
        expect([again.status, again.body.error.type]).toEqual([409, 'conflict']);
        const own = await vote(id, 'dave');
        expect([own.status, own.body.error.type]).toEqual([403, 'separation_of_duties']);

        const { pending } = (await call('GET', '/admin/v1/approvals', 'bob-key-1')).body;
        expect(pending[0].votes).toMatchObject([firstVote]);
        const last = await vote(id, 'bob');
        expect([last.status, last.body.status]).toEqual([200, 'approved']);
        expect((await vote(id, 'alice')).status).toBe(409);
        expect((await act({ approval_ref: id })).matched_rule).toBe(`approved:${id}`);
        expect((await act({ approval_ref: id })).decision).toBe('review');

        const bundle = (await call('GET', '/admin/v1/evidence/sessions/release/export', 'alice-key-1')).body;
        const kinds = bundle.entries.map(({ kind }: { kind: string }) => kind);
        expect(kinds).toEqual(expect.arrayContaining(['review', 'vote', 'approve', 'allow']));
        const approve = bundle.entries.find(({ kind }: { kind: string }) => kind === 'approve');
        expect(approve.body.votes.map(({ person }: { person: string }) => person)).toEqual(['carol', 'bob']);
        expect((await verifyBundle(bundle)).valid).toBe(true);
      });

      test('[identity.separation-rules] a single denial ends the request, whatever was approved before', async () => {
        const { envelope_id: id } = await act();
        await vote(id, 'carol');
        const denied = await vote(id, 'bob', 'deny');
        expect([denied.status, denied.body.status]).toEqual([200, 'denied']);
        expect((await act({ approval_ref: id })).matched_rule).toBe(`denied:${id}`);
      });
    },
  );

  describe('rules of separation', () => {
    beforeEach(() => start(rules()));

    test('[identity.separation-rules] an approval that satisfies no rule is refused, and the error lists the open requirements', async () => {
      const { envelope_id: id } = await act({ tool: 'scm.delete_branch', capability: 'delete' });
      const refused = await vote(id, 'carol');
      expect([refused.status, refused.body.error.type]).toEqual([403, 'separation_of_duties']);
      expect(refused.body.error.message).toContain('acme/security');
      expect((await vote(id, 'carol', 'deny')).body.status).toBe('denied');
    });

    test('[identity.separation-rules] all concurrent votes count, and exactly one of them settles the request', async () => {
      const { envelope_id: id } = await act();
      const votes = await Promise.all(['carol', 'bob', 'alice'].map((person) => vote(id, person)));
      const said = votes.map(({ status, body }) => (status === 200 ? body.status : status)).sort();
      // Alice and Bob are enough, and so is Carol with either of them. A later vote finds the request already decided.
      expect(said.filter((each) => each === 'approved')).toHaveLength(1);
      expect((await item(id)).status).toBe('approved');
      expect((await act({ approval_ref: id })).decision).toBe('allow');
    });

    test('[identity.separation-rules] a rule added while a request is pending applies to the effects of the call', async () => {
      const line = (argv: string[]) => ({
        protocol: 'shell',
        tool: 'shell.run',
        target: '',
        capability: 'execute',
        parameters: { argv },
        actor: { agent: 'builder', session: 'lines' },
      });
      const without = rules()
        .replace(/separation_rules:\n(?: {2}.*\n)+/, '')
        .replace('decision: review }]', 'decision: review }, { protocol: shell, decision: review }]');
      await put(without);
      const [removes, prints] = [await act(line(['rm', 'build/old'])), await act(line(['echo', 'hello']))];
      await put(
        `${without}separation_rules: [{ name: two-delete, applies_to: "acme/**", capability: delete, requires: { approvals: 2 } }]\n`,
      );
      expect((await vote(removes.envelope_id, 'bob')).body).toMatchObject({
        status: 'pending',
        still_needed: expect.stringContaining('two-delete'),
      });
      expect((await vote(removes.envelope_id, 'carol')).body.status).toBe('approved');
      expect((await vote(prints.envelope_id, 'bob')).body.status).toBe('approved');
    });

    test('[identity.organizations] whoami shows the organization path; lists show only what the caller may see', async () => {
      expect((await call('GET', '/admin/v1/whoami', 'carol-key-1')).body).toMatchObject({
        path: 'acme/web/shop/production',
        teams: ['acme/web'],
      });
      const get = async (what: string, key = 'bob-key-1') =>
        (await call('GET', `/admin/v1/identity/${what}`, key)).body;
      expect(await get('organizations')).toEqual({ organizations: [{ id: 'acme', name: 'acme', teams: 2 }] });
      expect((await get('teams')).teams.map(({ path }: { path: string }) => path)).toEqual(['acme/web']);
      expect((await get('teams', 'alice-key-1')).teams).toHaveLength(2);
      expect((await get('projects')).projects).toMatchObject([{ path: 'acme/web/shop', environments: 1 }]);
      expect((await get('environments')).environments).toMatchObject([{ tenant: 'default', kind: 'production' }]);
      expect((await get('separation-rules')).separation_rules.map(({ name }: { name: string }) => name)).toEqual([
        'four-eyes',
        'security-says',
      ]);
      const { people, keys } = await get('identities');
      expect(people).toEqual(
        expect.arrayContaining([expect.objectContaining({ id: 'bob', teams: ['acme/security'] })]),
      );
      expect(JSON.stringify(keys)).not.toMatch(/key-1|[0-9a-f]{64}/);
      expect((await get('environments', 'agent-key-1')).error.type).toBe('forbidden');
    });
  });

  describe('a rule in the tool policy', () => {
    test('[identity.separation-rules] another tool still needs one approval', async () => {
      await start(toolRule('required: 2'));
      const { envelope_id: other } = await act({ tool: 'scm.close_issue' });
      expect(await item(other)).not.toHaveProperty('requires');
      expect((await vote(other, 'carol')).body.status).toBe('approved');
    });

    test('[identity.separation-rules] when roles are required, only approvals given with one of those roles count', async () => {
      await start(toolRule('roles: [admin]'));
      const { envelope_id: id } = await act();
      const refused = await vote(id, 'bob');
      expect([refused.status, refused.body.error]).toEqual([
        403,
        expect.objectContaining({
          type: 'separation_of_duties',
          message: expect.stringContaining('with the role admin'),
        }),
      ]);
      expect((await vote(id, 'alice')).body.status).toBe('approved');
    });
  });
});

/** Team votes for one tool in approvals, simulate, dry runs and why, over HTTP and the embedded store. */
describe('teams', () => {
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
      protocol: 'git',
      tool: 'scm.merge_pull_request',
      target: 'acme/shop',
      capability: 'write',
      parameters: { number: 7 },
      actor: { agent: 'builder', session: 'release' },
      ...more,
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
  ])('[identity.separation-rules] %s counts only votes from its teams', async (_what, text) => {
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

  test('[approval.strictest-terms] simulate, dry run and why report how many approvals a review needs and from whom', async () => {
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

  test('[approval.strictest-terms] separation rules are included, just as for the request itself, and so is the passkey requirement', async () => {
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
});
