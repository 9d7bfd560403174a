/** Requests for approval: limits on their number, how long a denial applies, and identical calls. */

import { replayRisk } from '#core/session/risk/replay.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

/** `approvals.denial_lifetime` in seconds: the denial applies for that long, after which a new request may be made. */
describe('denials', () => {
  test('[approval.denied] a denial applies for its configured seconds; after that, or in another session, a reviewer is asked again', async () => {
    const gateway = await testPorts({ extra: 'approvals: { denial_lifetime: 900 }' });
    const call = caller(gateway.ports);
    const pull = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };
    const act = async (session: string) =>
      (await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...pull, actor: { session } } })).body;
    const { envelope_id: id } = await act('lifetime-1');
    const vote = { key: keys.human, body: { reviewer: 'alice', comment: 'no' } };
    expect((await call('POST', `/admin/v1/approvals/${id}/deny`, vote)).body.status).toBe('denied');
    gateway.pass(899);
    expect(await act('lifetime-1')).toMatchObject({ decision: 'block', matched_rule: `denied:${id}` });
    expect(await act('lifetime-2')).toMatchObject({ decision: 'review' });
    gateway.pass(1);
    expect(await act('lifetime-1')).toMatchObject({ decision: 'review' });
    await gateway.stop();
  });
});

/** Many requests for approval and many trial calls by one key, through the handlers. */
describe('many requests', () => {
  const gateway = useGateway({
    extra: `
approvals: { max_pending_per_key: 3, max_pending_per_tenant: 4 }
behavior: { repeated_escalation: { probes: 5 } }`,
  });
  const { call, entriesOf } = gateway;

  const act = (n: number, session: string, { key = keys.agent, ...more }: { key?: string; dry_run?: boolean } = {}) =>
    gateway.act(
      {
        protocol: 'git',
        tool: 'scm.create_pull_request',
        target: `acme/web-${n}`,
        capability: 'write',
        parameters: { title: `Fix ${n}` },
        actor: { session },
        ...more,
      },
      key,
    );

  test('[approval.pending-cap] a fourth request returns 429, notifies no reviewer, and is recorded once per minute', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++) ids.push((await act(n, 'flood')).body.envelope_id);
    const started = gateway.started.length;
    for (let n = 3; n < 8; n++) {
      const refused = await act(n, 'flood');
      expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
      expect(refused.body.error).toMatchObject({
        type: 'rate_limit_error',
        message: expect.stringMatching(/waiting for a person/),
      });
    }
    expect(gateway.started).toHaveLength(started);
    const entries = await entriesOf('flood');
    expect(entries.map(({ kind }) => kind)).toEqual(['review', 'review', 'review', 'block']);
    expect(entries.at(-1)!.body).toMatchObject({ matched_rule: 'limit:pending_approvals' });

    // Requests already pending get the same response as before; other keys have their own limits, up to the tenant's
    // limit.
    expect((await act(1, 'flood')).body).toMatchObject({ decision: 'review', envelope_id: ids[1] });
    expect((await act(10, 'others', { key: keys.other })).body.decision).toBe('review');
    expect((await act(11, 'others', { key: keys.other })).status).toBe(429);

    const vote = { reviewer: 'alice' };
    await call('POST', `/admin/v1/approvals/${ids[0]}/deny`, { key: keys.human, body: vote });
    gateway.pass(1);
    expect((await act(12, 'flood')).body.decision).toBe('review');
  });

  test('[behavior.rules] trial calls leave no entry; the next call reports them, and replay agrees', async () => {
    const key = keys.other;
    for (let n = 0; n < 4; n++) await act(n, 'trials', { key, dry_run: true });
    const block = { protocol: 'shell', tool: 'shell.exec', target: 'rm -rf /', capability: 'execute' };
    const simulated = await call('POST', '/admin/v1/simulate', { key, body: { calls: [block, block] } });
    expect(simulated.body.results).toHaveLength(2);
    expect(await entriesOf('trials')).toEqual([]);

    const read = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
    const allowed = () => gateway.act({ ...read, actor: { session: 'trials' } }, key);
    expect((await allowed()).body.decision).toBe('allow');
    await allowed();
    const [first, second] = (await entriesOf('trials')).filter(({ kind }) => kind === 'allow');
    expect(first!.body.behavior).toMatchObject({
      signals: expect.arrayContaining([expect.objectContaining({ s: 'probed', n: 1 })]),
    });
    expect(JSON.stringify(second!.body.behavior)).not.toContain('probed');
    const head = await gateway.ports.evidence.head('default', 'trials');
    expect(head?.risk).toMatchObject({ score: 10, rule: 'repeated_escalation' });
    expect((await replayRisk(gateway.ports.evidence.entries('default', 'trials'))).record).toEqual(head?.risk);
  });
});

/**
 * Identical calls in one session for which a rule lets a reviewer vote in one step: which calls match, and that each
 * has its own vote.
 */
describe('identical calls', () => {
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
      key: 'alice-key-1',
      raw: text,
      headers: { 'content-type': 'application/yaml' },
    });

  test('[approval.together] identical calls in one session made with several keys share one value, in the item and in the list', async () => {
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
  ])('[approval.together] a call with %s has a different value', async (_, other, tenant) => {
    const one = await asked('first');
    const found = await together(await other(), tenant);
    expect(found).toMatch(/^[0-9a-f]{64}$/);
    expect(found).not.toBe(await together(one));
  });

  test('[approval.together] a rule without this setting, or a call with a withheld value, has no value', async () => {
    expect(await together(await asked('first', { tool: 'scm.delete' }))).toBeUndefined();
    const hidden = await asked('first', { parameters: { to: 'all', token: 'a-secret' } });
    expect((await call('GET', `/approvals/${hidden}`, 'alice')).body.withheld).toEqual(['$.parameters.token']);
    expect(await together(hidden)).toBeUndefined();
  });

  test('[approval.together] only the policy in force counts: neither a removed rule nor one added later yields a value', async () => {
    const before = await asked('first');
    expect((await change(configuration('{ timeout_seconds: 900 }'))).status).toBe(201);
    expect(await together(before)).toBeUndefined();
    const between = await asked('second');
    expect((await change(configuration())).status).toBe(201);
    expect(await together(between)).toBeUndefined();
    // Under another version of the policy, the value differs.
    expect(await together(before)).not.toBe(await together(await asked('second', {}, 'later')));
  });

  test('[approval.together] each call gets its own vote, entry and use; separation of duties is checked for each', async () => {
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

  test('[approval.together] a configuration is rejected if the rule does not lead to a review', async () => {
    const refused = await change(configuration('{ together: true }', 'block'));
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      expect.stringContaining(
        'approval.together: found true in a rule with the decision block; it is allowed only in rules with the decision review.',
      ),
    ]);
  });
});
