/** Refused credentials and votes. */
import { httpExchange } from '#adapters/executors/http-exchange.ts';
import { foreignApproval } from '#core/actions/abuse-notes.ts';
import type { GovernedAction } from '#core/actions/governed.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { replayRisk } from '#core/session/risk/replay.ts';
import { routes } from '#features/routes.ts';
import { withExecutors } from '#lambdas/executors.ts';
import { beforeBody } from '#lambdas/middleware/before-body.ts';
import { identify } from '#lambdas/middleware/identify.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { noClients } from '../support/executor-cases.ts';
import { fakeHttpService } from '../support/fake-http-service.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

/** Refused logins, and refused votes on other people's requests, raise `credential_abuse`. */
describe('`credential_abuse`', () => {
  let call: ReturnType<typeof caller>;
  let status: number;
  let names = 0;

  const host = useStarted(() => fakeHttpService(() => ({ status, body: { message: 'Bad credentials' } })));
  const gateway = useGateway(() => ({
    extra: `
providers: [{ name: mock, type: mock, enabled: true, models: ["mock"] }]
policies: { input: [{ name: ask, type: keyword, action: review, keywords: [deploy] }] }
executors: { git: { enabled: true, allow_private: true, api_url: "${host.url}" } }`,
  }));
  beforeAll(() => {
    call = caller(withExecutors(gateway.ports, { ...noClients, http: httpExchange() }));
  });
  beforeEach(() => {
    status = 401;
    gateway.pass(3600); // cached state about the key has expired
  });

  const fresh = () => `abuse-${++names}`;
  const act = (session: string, action: object, key = keys.agent) =>
    call('POST', '/admin/v1/test-action', { key, body: { ...action, actor: { session } } });
  const file = (n: number) => ({
    protocol: 'git',
    tool: 'scm.get_file_contents',
    target: 'acme/web',
    capability: 'read',
    parameters: { path: `docs/${n}.md` },
  });
  const pull = (n: number) => ({
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { title: `Fix ${n}`, head: 'fix', base: 'main' },
  });

  const entries = (session: string) => evidenceOf(gateway.ports, session);
  const noted = async (session: string, kind: string) =>
    (await entries(session)).flatMap(({ body }) =>
      ((body.behavior as BehaviorNote | undefined)?.signals ?? []).filter(({ s }) => s === kind),
    );
  /** Returns a session's alerts, after checking that its head and the replay agree. */
  async function alerts(session: string) {
    const [head, replay] = [
      await gateway.ports.evidence.head('default', session),
      await replayRisk(await entries(session)),
    ];
    expect(replay.record).toEqual(head?.risk);
    return replay.alerts.map(({ rule, points }) => `${rule} ${points}`);
  }

  describe('[behavior.rules] a login refused by the upstream', () => {
    test('a refused login is recorded with the outcome; repeating the call counts as a loop, and five different calls raise an alert', async () => {
      const session = fresh();
      expect((await act(session, file(0))).body.error.message).toContain('401');
      for (const n of [0, 0, 0, 1, 2, 3]) await act(session, file(n));
      expect(await noted(session, 'login_failed')).toHaveLength(7);
      expect(new Set((await noted(session, 'login_failed')).map(({ h }) => h)).size).toBe(4);
      expect(await alerts(session)).toEqual([]);
      const before = gateway.telemetry.metricsText();
      await act(session, file(4));
      expect(await alerts(session)).toEqual(['credential_abuse 30']);
      const told = /svc_risk_alerts_total\{rule="credential_abuse"\} (\d+)/;
      expect(told.exec(gateway.telemetry.metricsText())?.[1]).not.toBe(told.exec(before)?.[1]);
      const last = (await entries(session)).at(-1)!;
      expect(last).toMatchObject({ kind: 'result', body: { outcome: 'failed' } });
      const shown = await call('GET', `/admin/v1/sessions/${session}/risk?replay=true`, { key: keys.human });
      expect(shown.body).toMatchObject({ score: 30, replay: { agrees: true } });
    });

    test('many different refused logins block the session', async () => {
      const session = fresh();
      for (let n = 0; n < 15; n++) expect((await act(session, file(n))).status).toBe(200);
      expect(await act(session, file(15))).toMatchObject({
        status: 403,
        body: { error: { type: 'session_blocked', matched_rule: 'behavior:credential_abuse' } },
      });
      const released = await call('POST', `/admin/v1/sessions/${session}/release`, {
        key: 'admin-token-1',
        body: { reason: 'the key of the app was rotated' },
      });
      expect(released.status).toBe(200);
    });

    test.each([403, 404, 429, 500])('is not recorded if the upstream responds with %i', async (other) => {
      status = other;
      const session = fresh();
      await act(session, file(0));
      expect(await noted(session, 'login_failed')).toEqual([]);
    });

    test('does not count for a human, for an approved call, or if the upstream refuses the gateway itself', async () => {
      const byHuman = fresh();
      await act(byHuman, file(0), keys.human);
      expect(await noted(byHuman, 'login_failed')).toEqual([]);

      const approved = fresh();
      const id = (await act(approved, pull(0))).body.envelope_id;
      await call('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
      expect((await act(approved, pull(0))).body.error.message).toContain('401');
      expect(await noted(approved, 'login_failed')).toEqual([]);

      const unminted = fresh();
      const issue = () =>
        Promise.reject(new GatewayError('service_unavailable', 'no', { data: { reason: 'unauthorized' } }));
      const brokers = async () => ({ name: 'scm', issue, revoke: async () => {} });
      const answer = await caller({ ...gateway.ports, brokers })('POST', '/admin/v1/test-action', {
        key: keys.agent,
        body: { ...file(0), actor: { session: unminted } },
      });
      expect(answer.status).toBe(503);
      expect(await noted(unminted, 'login_failed')).toEqual([]);
    });
  });

  describe("[behavior.rules] another key's approval", () => {
    const asked = async (session: string, n: number) => (await act(session, pull(n), keys.other)).body.envelope_id;

    test('counts as misuse, once per call; the third call is blocked together with its session', async () => {
      const session = fresh();
      const id = await asked(fresh(), 0);
      const first = await act(session, { ...pull(0), approval_ref: id });
      expect(first.body).toMatchObject({ decision: 'review', error: { data: { reason: 'other_key' } } });
      await act(session, { ...pull(0), approval_ref: id });
      expect(await noted(session, 'misused')).toEqual([
        expect.objectContaining({ x: `approval ${id} of another key` }),
      ]);
      expect(await alerts(session)).toEqual(['credential_abuse 30']);
      for (const n of [1, 2]) await act(session, { ...pull(n), approval_ref: id });
      expect(await alerts(session)).toHaveLength(3);
      expect(await act(session, file(0))).toMatchObject({ status: 403, body: { error: { type: 'session_blocked' } } });
      // A new session does not help: misuse is counted per key.
      expect((await act(fresh(), file(0))).status).toBe(403);
      await call('POST', `/admin/v1/sessions/${session}/release`, { key: 'admin-token-1', body: { reason: 'a test' } });
    });

    test('also counts as misuse in a chat', async () => {
      const session = fresh();
      const id = await asked(fresh(), 1);
      const { status: answered } = await call('POST', '/v1/chat/completions', {
        key: keys.agent,
        headers: { 'x-approval-ref': id, 'x-session-id': session },
        body: { model: 'mock', messages: [{ role: 'user', content: 'deploy it' }] },
      });
      expect(answered).toBe(202);
      expect(await noted(session, 'misused')).toHaveLength(1);
      expect(await alerts(session)).toEqual(['credential_abuse 30']);
    });

    test('does not count as misuse if the same key requested it in another session, or in a dry run', async () => {
      const session = fresh();
      const own = (await act(fresh(), pull(2))).body.envelope_id;
      const answer = await act(session, { ...pull(2), approval_ref: own });
      expect(answer.body.error.data.reason).toBe('other_session');
      const foreign = await asked(fresh(), 3);
      await act(session, { ...pull(3), approval_ref: foreign, dry_run: true });
      expect(await noted(session, 'misused')).toEqual([]);
    });

    test.each<[string, Partial<ApprovalRow>, object, boolean]>([
      ['of a key of the same person', { key_owner: 'bob' }, { owner: 'bob' }, false],
      ["of a key of somebody else's", { key_owner: 'eve' }, { owner: 'bob' }, true],
      ['of a key of nobody', {}, { owner: 'bob' }, true],
      ['shown by a key of nobody', { key_owner: 'bob' }, {}, true],
      ['both of nobody', {}, {}, true],
      ['shown by a human', {}, { kind: 'human' }, false],
      ['the own one', { key_id: 'mine' }, {}, false],
    ])('%s', async (_, row, who, misused) => {
      const snapshot = await gateway.ports.snapshots.current();
      const action = {
        principal: { kind: 'agent', ...who },
        snapshot,
        envelope: { key_id: 'mine' },
        decision: {},
      } as unknown as GovernedAction;
      const approval = { envelope_id: 'a', key_id: 'theirs', ...row } as ApprovalRow;
      expect(foreignApproval(action, approval) !== undefined).toBe(misused);
    });
  });
});

describe('admissions', () => {
  const gateway = useGateway();

  const listing = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read', dry_run: true };

  test('[admin.rate-limit] all admin surface routes count together, including dry runs, and the gateway surface does not count', async () => {
    const call = caller(gateway.ports);
    const ask = (n: number) =>
      n % 2 === 0
        ? call('GET', '/admin/v1/whoami', { key: keys.other })
        : call('POST', '/admin/v1/test-action', { key: keys.other, body: listing });
    const statuses: number[] = [];
    for (let n = 0; n < 252; n++) statuses.push((await ask(n)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(250);
    const refused = await ask(1);
    expect(refused).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await call('GET', '/v1/models', { key: keys.other })).status).toBe(200);
    expect((await call('GET', '/admin/v1/whoami', { key: keys.agent })).status).toBe(200);
    gateway.pass(1);
    expect((await ask(0)).status).toBe(200);
  });

  test('[auth.before-body] wrong keys result in 429 on every surface', async () => {
    const call = caller(gateway.ports);
    expect((await call('GET', '/v1/models', { key: keys.viewer })).status).toBe(200);
    const statuses = new Set<number>();
    for (let n = 0; n < 100; n++) statuses.add((await call('GET', '/admin/v1/whoami', { key: `guess-${n}` })).status);
    expect(statuses).toEqual(new Set([401]));
    expect(gateway.telemetry.metricsText()).toMatch(/^svc_credentials_rejected_total \d{3}$/m);
    expect((await call('POST', '/v1/messages', { key: 'guess', body: {} })).status).toBe(429);
    expect((await call('GET', '/admin/v1/whoami')).status).toBe(401); // a missing key does not count as a guess
    expect((await call('GET', '/v1/models', { key: keys.viewer })).status).toBe(200);
    gateway.pass(200);
  });

  const asked = (method: string, resource: string, key?: string) =>
    ({
      httpMethod: method,
      resource,
      path: resource,
      headers: key === undefined ? {} : { 'x-api-key': key },
      multiValueHeaders: key === undefined ? {} : { 'x-api-key': [key] },
    }) as unknown as HttpEvent;

  test.each([
    ['POST', '/v1/chat/completions', undefined, 0],
    ['POST', '/v1/chat/completions', 'wrong', 0],
    ['POST', '/v1/chat/completions', keys.agent, 10_485_760],
    ['POST', '/mcp', 'wrong', 0],
    ['POST', '/admin/v1/test-action', undefined, 0],
    ['POST', '/admin/v1/test-action', keys.viewer, 0], // its role does not permit this
    ['POST', '/admin/v1/test-action', keys.agent, 262_144],
    ['GET', '/health', keys.agent, 0],
    ['POST', '/callbacks/slack', undefined, 262_144],
  ] as const)('[auth.before-body] %s %s with %s reads %d bytes of the body', async (method, resource, key, bytes) => {
    const before = await beforeBody(asked(method, resource, key), gateway.ports);
    expect(before.bodyBytes).toBe(bytes);
    expect(before.caller?.kind).toBe(key === keys.agent && bytes > 0 ? 'agent' : undefined);
  });

  test('[admin.rate-limit] the rate is configurable', async () => {
    const other = await testPorts({ admin: ', requests_per_second: 1' });
    try {
      const call = caller(other.ports);
      const statuses = [];
      for (let n = 0; n < 7; n++) statuses.push((await call('GET', '/admin/v1/whoami', { key: keys.agent })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    } finally {
      await other.stop();
    }
  });

  test('[error.store-down] an open route responds without reading the configuration; a route that requires a key does not respond', async () => {
    const current = async () => {
      throw new Error('the store is down');
    };
    const ports = { ...gateway.ports, snapshots: { current } };
    expect(await beforeBody(asked('GET', '/health', ''), ports)).toEqual({ bodyBytes: 0 });
    await expect(beforeBody(asked('POST', '/v1/chat/completions', ''), ports)).rejects.toThrow('is down');
  });

  test('[auth.before-body] a key is checked once, and once more if the configuration changes while the body is arriving', async () => {
    const { ports } = gateway;
    const route = routes.find(({ operation }) => operation === 'testAction')!;
    const event = asked('POST', route.path, keys.agent);
    const snapshot = await ports.snapshots.current();
    const { caller } = await beforeBody(event, ports);
    expect(await identify({ ...event, body: '{}' }, route, snapshot, ports)).toBe(caller);
    const revoked = { ...snapshot, identities: { ...snapshot.identities, byDigest: new Map() } };
    await expect(identify(event, route, revoked, ports)).rejects.toMatchObject({ code: 'authentication_error' });
  });
});
