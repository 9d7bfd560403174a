/** Usage, analytics, budgets, traffic and violations below an organisation path. */
import { caller } from '../support/call-endpoint.ts';
import { levels, manyTenants, recordChat, spendingLevels } from '../support/levels.ts';
import type { Loose } from '../support/loose.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

/** Usage, analytics and budgets below an organisation path, limited to tenants that the caller may see. */
describe('sums', () => {
  const gateway = useStarted(() => spendingLevels());

  const get = (route: string, key: string) => caller(gateway.ports)('GET', `/admin/v1/${route}`, { key });
  async function found(route: string, key: string): Promise<Loose> {
    const { status, body } = await get(route, key);
    expect([route, status, body.error]).toEqual([route, 200, undefined]);
    return body;
  }
  const requestsIn = ({ summary }: Loose, dimension: string): number =>
    (summary[dimension] as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0);

  test('[admin.by-path] usage is summed across the tenants below the path', async () => {
    const all = await found('usage?path=acme', 'alice-key-1');
    expect(all).toMatchObject({ path: 'acme', tenants: ['shop', 'bank'], requests: 4, cost_microusd: 1000 });
    expect(all).not.toHaveProperty('tenant');
    expect(all.models).toEqual([
      expect.objectContaining({ model: 'gpt-4o', requests: 3, input_tokens: 300, cost_usd: 0.00075 }),
      expect.objectContaining({ model: 'constructor', requests: 1 }),
    ]);
    expect(await found('usage?path=acme/money', 'alice-key-1')).toMatchObject({ tenants: ['bank'], requests: 3 });
    expect(await found('usage?path=acme/**/production', 'alice-key-1')).toMatchObject({ requests: 4 });
    expect(await found('usage?path=other', 'alice-key-1')).toMatchObject({ tenants: [], requests: 0, models: [] });
    expect(await found('usage?path=acme&to=2000-01-01T00:00:00Z', 'alice-key-1')).toMatchObject({ requests: 0 });
  });

  test('[admin.by-path] analytics combines models across tenants, and global is the traffic below the path', async () => {
    const all = await found('analytics?path=acme', 'alice-key-1');
    expect(all).toMatchObject({
      path: 'acme',
      dimensions: expect.arrayContaining(['global', 'tenant:shop', 'tenant:bank', 'model:gpt-4o', 'model:constructor']),
    });
    expect(all.dimensions).not.toContain('tenant:home');
    const counted = ['global', 'tenant:shop', 'tenant:bank', 'model:gpt-4o'].map((name) => requestsIn(all, name));
    expect(counted).toEqual([4, 1, 3, 3]);
    expect(all.summary.global).toEqual([expect.objectContaining({ requests: 4, p50_latency_ms: expect.any(Number) })]);
    const web = await found('analytics/realtime?path=acme/web&dimension=model:gpt-4o', 'alice-key-1');
    expect([web.dimensions, requestsIn(web, 'model:gpt-4o')]).toEqual([['model:gpt-4o'], 1]);
  });

  test('[admin.by-path] budgets include their tenant names, and the global budget is listed once', async () => {
    const { statuses, open_reservations, ...rest } = await found('budgets?path=acme', 'alice-key-1');
    const seen = (statuses as Loose[]).map(({ scope, tenant, limit_usd }) => [scope, tenant, limit_usd]);
    expect(seen).toEqual([
      ['global', undefined, 100],
      ['tenant', 'shop', 2],
      ['tenant', 'bank', 3],
    ]);
    expect([open_reservations, rest]).toEqual([0, { path: 'acme', tenants: ['shop', 'bank'] }]);
  });

  test("[admin.by-path] another team's tenant is left out, and a request that names it gets a 404", async () => {
    expect(await found('usage?path=acme', 'bob-key-1')).toMatchObject({ tenants: ['shop'], requests: 1 });
    expect((await found('budgets?path=acme', 'bob-key-1')).tenants).toEqual(['shop']);
    const seen = await found('analytics?path=acme', 'bob-key-1');
    expect(seen.dimensions).not.toContain('tenant:bank');
    expect([requestsIn(seen, 'global'), requestsIn(seen, 'model:gpt-4o')]).toEqual([1, 1]);
    for (const [dimension, status] of [
      ['tenant:shop', 200],
      ['tenant:bank', 404],
      ['tenant:home', 404],
      ['tenant:nowhere', 404],
      ['plane:west', 400],
    ] as const)
      expect([dimension, (await get(`analytics?path=acme&dimension=${dimension}`, 'bob-key-1')).status]).toEqual([
        dimension,
        status,
      ]);
    // Without the path, it is still limited to the platform.
    expect((await get('analytics?dimension=global', 'bob-key-1')).status).toBe(403);
  });

  test('[admin.by-path] agents are refused, and a malformed path returns 400', async () => {
    for (const route of ['usage', 'analytics', 'analytics/realtime', 'budgets']) {
      expect([route, (await get(`${route}?path=acme`, 'agent-key-1')).status]).toEqual([route, 403]);
      const { status, body } = await get(`${route}?path=%5Ba`, 'alice-key-1');
      expect([route, status, body.error.type]).toEqual([route, 400, 'invalid_request']);
    }
  });

  test('[admin.by-path] a path with more tenants than one response can combine is refused, and the error names the limit', async () => {
    const many = await manyTenants();
    try {
      const ask = (path: string) => caller(many.ports)('GET', `/admin/v1/usage?path=${path}`, { key: 'alice-key-1' });
      const refused = await ask('acme');
      expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('201 tenants')]);
      expect((await ask('acme/web/t7')).body).toMatchObject({ tenants: ['t7'] });
    } finally {
      await many.stop();
    }
  });
});

/** Chat calls and violations of the tenants below an organisation path, limited to tenants that the caller may see. */
describe('traffic', () => {
  const blocked = { policy: 'jailbreak', type: 'keyword', action: 'block', phase: 'input', count: 1 };

  const gateway = useGateway({ configuration: levels });
  beforeAll(async () => {
    const record = { outcome: 'blocked', decision: 'block', status: 403, findings: [blocked] };
    for (const tenant of ['home', 'shop', 'bank', 'bank']) await recordChat(gateway, tenant, record);
  });

  /** Returns the items of all pages of a list. */
  async function all(route: string, key: string, path?: string) {
    const items: unknown[] = [];
    let counts: Record<string, number> = {};
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = new URLSearchParams({ limit: '1', ...(path && { path }), ...(cursor && { cursor }) });
      const { status, body } = await caller(gateway.ports)('GET', `/admin/v1/${route}?${query}`, { key });
      expect([status, body.error]).toEqual([200, undefined]);
      items.push(...(body.requests ?? body.violations));
      counts = body.by_tenant;
      cursor = body.cursor;
    }
    return { found: items.length, counts };
  }

  test('[admin.by-path] calls and violations below a path are listed page by page, and violations are counted', async () => {
    for (const route of ['requests', 'violations']) {
      expect((await all(route, 'alice-key-1', 'acme')).found).toBe(3);
      expect((await all(route, 'alice-key-1', 'acme/money')).found).toBe(2);
      expect((await all(route, 'alice-key-1', 'acme/**/production')).found).toBe(3);
      expect((await all(route, 'alice-key-1', 'other')).found).toBe(0);
    }
    expect((await all('violations', 'alice-key-1', 'acme')).counts).toEqual({ shop: 1, bank: 2 });
  });

  test('[admin.by-path] tenants belonging to other teams are left out, and viewers do not see calls', async () => {
    expect(await all('violations', 'bob-key-1', 'acme')).toEqual({ found: 1, counts: { shop: 1 } });
    expect((await all('requests', 'bob-key-1', 'acme')).found).toBe(0);
  });

  test('[admin.by-path] a malformed path or a cursor from another list returns 400', async () => {
    for (const query of ['path=%5Ba', 'path=acme&cursor=nonsense'])
      for (const route of ['requests', 'violations']) {
        const answer = await caller(gateway.ports)('GET', `/admin/v1/${route}?${query}`, { key: 'alice-key-1' });
        expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
      }
  });
});
