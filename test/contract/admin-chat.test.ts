/** Usage, requests, analytics and budgets of chat calls over HTTP. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import { blocked, call, commit, gateway, get, project, record } from '../support/admin-chat.ts';
import { keys } from '../support/ports.ts';

/** Usage, requests and analytics of chat calls over HTTP, projected from evidence. */
describe('usage and requests', () => {
  const warned = { policy: 'pii-in', type: 'pii', action: 'warn', phase: 'input', count: 2, detail: 'email' };
  test('[admin.usage] violations from actions and chat calls are listed together and counted separately', async () => {
    await call('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: {
        protocol: 'shell',
        tool: 'shell.exec',
        target: '/',
        capability: 'delete',
        parameters: { command: 'rm -rf /' },
      },
    });
    const { entries } = await get('audit?decision=block');
    for (const entry of entries) await project(entry);
    await record({ decision: 'block', outcome: 'blocked', status: 403, findings: [warned, blocked] });
    await record({ findings: [warned, { ...warned, action: 'redact', policy: 'pii-out', phase: 'output' }] });
    const { violations, by_policy, by_rule, by_tenant, by_action } = await get('violations');
    const tools = entries.length;
    expect(by_action).toEqual({ block: tools + 1, warn: 2, redact: 1 });
    expect(by_tenant).toEqual({ default: tools + 1 });
    expect(by_policy).toEqual({ [entries[0].body.policy]: tools, jailbreak: 1 });
    expect(by_rule).toEqual({ [entries[0].body.matched_rule]: tools });
    expect(Object.keys(by_policy)).not.toContain('pii-in');
    expect(violations).toHaveLength(tools + 3);
    expect(violations).toContainEqual(
      expect.objectContaining({
        policy: 'jailbreak',
        matched_rule: 'content:jailbreak',
        action: 'block',
        type: 'keyword',
        phase: 'input',
        model: 'mock',
        count: 1,
        session_id: 'chat-1',
        key_id: 'k1',
      }),
    );
  });
  test("[admin.requests-filters] requests: newest first, paged, filtered, limited to 48 hours and to the caller's tenant", async () => {
    await record({ model: 'old' });
    gateway.pass(48 * 3600 - 10);
    for (const model of ['a', 'b', 'c']) {
      gateway.pass(1);
      await record({ model, ...(model === 'b' && { outcome: 'failed', error: 'the provider said no' }) });
    }
    await record({}, { tenant: 'elsewhere' });
    const models = async (query: string) =>
      (await get(`requests${query}`)).requests.map(({ model }: { model: string }) => model);
    expect(await models('')).toEqual(['c', 'b', 'a', 'old']);
    gateway.pass(30);
    expect(await models('')).toEqual(['c', 'b', 'a']);
    expect(await models('?model=a')).toEqual(['a']);
    expect(await models('?outcome=failed')).toEqual(['b']);
    const times = (await get('requests')).requests.map(({ at }: { at: string }) => at);
    for (const [query, found] of [
      ['text=PROVIDER%20SAID', ['b']],
      ['text=nothing%20like%20it', []],
      ['key=k1', ['c', 'b', 'a']],
      ['key=k2', []],
      [`from=${times[1]}`, ['c', 'b']],
      [`to=${times[1]}`, ['b', 'a']],
      [`from=${times[2]}&to=${times[1]}&model=a`, ['a']],
    ] as const)
      expect([query, await models(`?${query}`)]).toEqual([query, found]);
    const first = await get('requests?limit=2');
    expect(first.requests).toHaveLength(2);
    expect(
      (await get(`requests?limit=2&cursor=${first.cursor}`)).requests.map(({ model }: { model: string }) => model),
    ).toEqual(['a']);
    expect(first.requests[1]).toMatchObject({
      outcome: 'failed',
      error: 'the provider said no',
      status: 200,
      cost_usd: 0.00025,
    });
    expect((await call('GET', '/admin/v1/requests', { key: keys.viewer })).status).toBe(403);
    expect((await call('GET', '/admin/v1/requests?limit=201', { key: keys.human })).status).toBe(400);
  });
  test('[chat.cache] cache stats show hits, misses, hit rate and evictions for the tenant', async () => {
    expect(await get('cache')).toMatchObject({
      enabled: true,
      hits: 0,
      misses: 0,
      hit_rate: 0,
      evictions: 0,
      entries: 0,
    });
    await record();
    await record({ outcome: 'cached', cache: 'HIT' });
    await record({ outcome: 'cached', cache: 'SEMANTIC-HIT', cache_evictions: 3 });
    await record({ outcome: 'cached', cache: 'HIT' }, { tenant: 'elsewhere' });
    expect(await get('cache', keys.viewer)).toMatchObject({
      hits: 1,
      semantic_hits: 1,
      misses: 1,
      hit_rate: 0.6667,
      evictions: 3,
    });
  });
  test('[admin.status] detailed health shows providers, budgets and recent violations', async () => {
    await record({ decision: 'block', outcome: 'blocked', findings: [blocked] });
    const status = await get('health/detailed', keys.viewer);
    expect(status.providers).toMatchObject([
      { name: 'mock', health: 'unknown' },
      { name: 'openai', health: 'disabled' },
    ]);
    expect(status.budgets).toHaveLength(4);
    expect(status.recent_violations).toMatchObject([{ policy: 'jailbreak', action: 'block' }]);
    expect(status).toMatchObject({ evidence_sessions: 1, pending_approvals: 0 });
  });
  describe('the audit log', () => {
    test('decision and tool filters also search chat entries', async () => {
      await record();
      const block = await record({ decision: 'block', outcome: 'blocked', operation: 'messages' });
      const ids = async (query: string) =>
        (await get(`audit?kind=chat&${query}`)).entries.map(({ envelope_id }: EvidenceEntry) => envelope_id);
      expect(await ids('decision=block')).toEqual([block.envelope_id]);
      expect(await ids('tool=messages')).toEqual([block.envelope_id]);
      expect(await ids('decision=allow')).toHaveLength(1);
      expect(await ids('')).toHaveLength(2);
    });

    test('[evidence.chat] is valid JSON even with quotes, control characters and braces in names and details', async () => {
      const odd = `say "hi"\\ {"a": [1]}, 'x'\n\t\u0000\u2028 </script> 💬`;
      const entry = await record({
        model: odd,
        resolved_model: odd,
        error: odd,
        findings: [{ ...warned, detail: odd, policy: odd }],
      });
      const audit = await call('GET', '/admin/v1/audit?kind=chat', { key: keys.human });
      expect(JSON.parse(audit.text).entries).toEqual([entry]);
      expect((await get('requests')).requests[0]).toMatchObject({ model: odd, error: odd });
      expect((await get('violations')).violations[0]).toMatchObject({ policy: odd, detail: odd });
      expect((await get('usage')).models[0].model).toBe(odd);
    });
  });
  test.each([
    ['audit?kind=bogus', 'kind is "bogus"; it must be one of allow, block, review'],
    ['audit?decision=maybe', 'decision is "maybe"; it must be one of allow, review, block.'],
    ['requests?outcome=ok', 'outcome is "ok"; it must be one of completed, cached, blocked'],
    ['requests?from=2026-01-02&to=2026-01-01', 'from is later than to. Swap them'],
    ['requests?to=noon', 'to is "noon"; it must be an ISO 8601 time'],
    ['traces?status=bad', 'status is "bad"; it must be one of ok, error.'],
    ['alerts?state=open', 'state is "open"; it must be one of active, acknowledged, resolved.'],
  ])('[error.unknown-query] %s is rejected with a list of the valid values', async (path, message) => {
    const { status, body } = await call('GET', `/admin/v1/${path}`, { key: keys.human });
    expect({ status, type: body.error.type }).toEqual({ status: 400, type: 'invalid_request' });
    expect(body.error.message).toContain(message);
  });
});

/** Analytics of chat calls, and how they are rebuilt. */
describe('analytics', () => {
  const adminToken = 'admin-token-1';
  describe('[admin.analytics] analytics', () => {
    const own = ['tenant:default', 'model:mock', 'model:other', 'provider:mock'];

    test("one-minute buckets by dimension, limited to the caller's tenant", async () => {
      await record({ latency_ms: 40 });
      await record({ resolved_model: 'other', outcome: 'failed', latency_ms: 400 });
      await record({}, { tenant: 'elsewhere' });
      gateway.pass(60);
      await record({ decision: 'block', outcome: 'blocked', cost_microusd: 0 });
      const { dimensions, summary, ...span } = await get('analytics', keys.viewer);
      expect(span).toEqual({ from: '2025-12-31T23:01:00.000Z', to: '2026-01-01T00:01:00.000Z', step: '1m' });
      expect(dimensions).toEqual(own);
      expect(Object.keys(summary)).toEqual(own);
      expect(summary['tenant:default']).toEqual([
        {
          timestamp: '2026-01-01T00:00:00.000Z',
          requests: 2,
          errors: 1,
          error_rate: 0.5,
          p50_latency_ms: 40,
          p95_latency_ms: expect.closeTo(400, -1),
          p99_latency_ms: expect.closeTo(400, -1),
          tokens: 240,
          cost_usd: 0.0005,
          blocked: 0,
          reviewed: 0,
        },
        expect.objectContaining({
          timestamp: '2026-01-01T00:01:00.000Z',
          requests: 1,
          blocked: 1,
          p50_latency_ms: null,
        }),
      ]);
      const asked = await get('analytics?dimension=model:other&dimension=provider:mock&dimension=model:other&step=5m');
      expect(asked.dimensions).toEqual(['model:other', 'provider:mock']);
      expect(asked.summary['model:other']).toMatchObject([{ requests: 1, errors: 1 }]);
      expect((await get('analytics?dimension=model:none')).summary).toEqual({ 'model:none': [] });
      expect((await get('analytics?from=2026-01-01T00:01:00Z&dimension=tenant:default')).summary).toMatchObject({
        'tenant:default': [{ requests: 1 }],
      });
    });

    test('the platform sees all tenants combined, and each one separately', async () => {
      await record();
      await record({}, { tenant: 'elsewhere' });
      const { dimensions, summary } = await get('analytics', adminToken);
      expect(dimensions.slice(0, 3)).toEqual(['global', 'tenant:default', 'tenant:elsewhere']);
      expect(summary.global).toMatchObject([{ requests: 2 }]);
      expect(summary['model:mock']).toMatchObject([{ requests: 2 }]);
      expect(summary['tenant:elsewhere']).toMatchObject([{ requests: 1 }]);
    });

    test('a tenant cannot read buckets belonging to other tenants or to all tenants combined', async () => {
      await record({}, { tenant: 'elsewhere' });
      const status = async (query: string, key = keys.human) =>
        (await call('GET', `/admin/v1/analytics?${query}`, { key })).status;
      expect(await status('dimension=global')).toBe(403);
      expect(await status('dimension=tenant:elsewhere')).toBe(404);
      expect(await status('dimension=tenant:none')).toBe(404);
      expect(await status('dimension=tenant:none', adminToken)).toBe(404);
      expect((await get('analytics?dimension=model:mock')).summary).toEqual({ 'model:mock': [] });
    });

    test('realtime covers the last five minutes', async () => {
      for (let minute = 0; minute < 7; minute++) {
        await record();
        if (minute < 6) gateway.pass(60);
      }
      const { from, to, summary } = await get('analytics/realtime?dimension=model:mock', keys.viewer);
      expect([from, to]).toEqual(['2026-01-01T00:02:00.000Z', '2026-01-01T00:06:00.000Z']);
      expect(summary['model:mock']).toHaveLength(5);
      expect((await get('analytics/realtime')).dimensions).toEqual(['tenant:default', 'model:mock', 'provider:mock']);
    });

    test('values older than 48 hours are omitted', async () => {
      await record();
      gateway.pass(48 * 3600 + 60);
      const { from, summary } = await get('analytics?from=2020-01-01&step=1h&dimension=tenant:default');
      expect(from).toBe('2026-01-01T00:01:00.000Z');
      expect(summary).toEqual({ 'tenant:default': [] });
    });

    test.each([
      'from=soon',
      'from=2026-02-01&to=2026-01-01',
      'from=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z',
      'step=2m',
      'dimension=',
      'dimension=cost',
      'dimension=model:mock&dimension=planes:x',
      Array.from({ length: 101 }, (_, n) => `dimension=model:${n}`).join('&'),
      'model=mock',
    ])('%.60s is 400', async (query) => {
      const answer = await call('GET', `/admin/v1/analytics?${query}`, { key: keys.human });
      expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
    });
  });
  describe('rebuilding', () => {
    const rebuild = (query = '', key = adminToken) => call('POST', `/admin/v1/observations/rebuild${query}`, { key });

    test('a rebuild projects lost entries, counts each one once, and is recorded once', async () => {
      await record();
      await commit();
      await commit({}, { tenant: 'elsewhere' });
      let cursor = '';
      const tenants: string[] = [];
      do {
        const { status, body } = await rebuild(cursor && `?cursor=${cursor}`);
        expect(status).toBe(200);
        tenants.push(body.tenant);
        cursor = body.cursor;
      } while (cursor);
      expect(tenants).toEqual(['default', 'elsewhere']);
      expect((await get('usage')).requests).toBe(2);
      const elsewhere = { key: adminToken, headers: { 'x-tenant-id': 'elsewhere' } };
      expect((await call('GET', '/admin/v1/usage', elsewhere)).body.requests).toBe(1);
      const { entries } = await get('audit?kind=admin');
      expect(entries).toHaveLength(1);
      expect(entries[0].body).toMatchObject({ action: 'observations.rebuild', tenants: ['default', 'elsewhere'] });
      expect((await rebuild('?tenant=default')).body.cursor).toBeUndefined();
      expect((await get('usage')).requests).toBe(2);
    });

    test('is limited to platform administrators and existing tenants', async () => {
      expect((await rebuild('', keys.human)).status).toBe(403);
      expect((await rebuild('?tenant=none')).status).toBe(404);
      expect((await rebuild('?cursor=none')).status).toBe(400);
      expect((await rebuild('?tenant=default&cursor=default.x')).status).toBe(400);
    });
  });
});

/** Budgets and providers as shown to an administrator. */
describe('budgets', () => {
  test('[limit.budget] providers: configuration without secrets, plus health and circuit breaker state', async () => {
    await record();
    await record({ outcome: 'failed', attempts: [{ provider: 'openai', error: '503' }] });
    const answer = await call('GET', '/admin/v1/providers', { key: keys.viewer });
    expect(answer.body.providers).toMatchObject([
      {
        name: 'mock',
        type: 'mock',
        enabled: true,
        models: ['mock'],
        has_key: false,
        health: 'unhealthy',
        breaker: 'half-open',
        requests: 2,
        errors: 1,
        error_rate: 0.5,
      },
      {
        name: 'openai',
        enabled: false,
        region: 'us',
        base_url: 'https://llm.example/v1',
        has_key: true,
        health: 'disabled',
        requests: 1,
        errors: 1,
      },
    ]);
    expect(answer.text).not.toMatch(/OPENAI_API_KEY|hidden|api_key_env/);
    gateway.pass(16 * 60);
    expect((await get('providers')).providers[0]).toMatchObject({ health: 'unknown', requests: 0 });
  });
  test('[limit.budget] budgets: lists every tenant account and the global accounts, with their counter values', async () => {
    const { counters, snapshots } = gateway.ports;
    const { configuration } = await snapshots.current();
    const limits = limitsOf(configuration, 'default', 'gpt-4o');
    const spent = { tokens: 10, cost_microusd: 5_000_000 };
    await counters.reserve({ tenant: 'default', id: 'r1', session_id: 's', ...spent, limits });
    await counters.settle('default', 'r1', { ...spent, counted: true });
    const { statuses } = await get('budgets', keys.viewer);
    expect(statuses).toHaveLength(4);
    expect(statuses).toEqual(
      expect.arrayContaining([
        {
          account: 'tenant',
          scope: 'tenant',
          scope_id: 'default',
          period: 'month',
          limit_usd: 50,
          spent_usd: 5,
          reserved_usd: 0,
          percentage: 10,
          tier: 'ok',
          resets_at: '2026-02-01T00:00:00.000Z',
        },
        {
          account: 'tenant:gpt-[4o]*',
          scope: 'model',
          scope_id: 'gpt-[4o]*',
          period: 'month',
          limit_usd: 20,
          spent_usd: 5,
          reserved_usd: 0,
          percentage: 25,
          tier: 'ok',
          resets_at: '2026-02-01T00:00:00.000Z',
        },
        expect.objectContaining({ account: 'tenant:{o1,o3}-*', period: 'day', resets_at: '2026-01-02T00:00:00.000Z' }),
        expect.objectContaining({ account: 'global', period: 'day', limit_usd: 10 }),
      ]),
    );
  });
});
