/** Usage, analytics, budgets and recommendations of a path of the organisations, by whom the caller may see. */
import { caller } from '../support/call-endpoint.ts';
import { levels, recordChat } from '../support/levels.ts';
import type { Loose } from '../support/loose.ts';
import { type TestPorts, testPorts } from '../support/ports.ts';

const configuration = `${levels}
budgets:
  global: { daily_usd: 100 }
  tenants: { home: { daily_usd: 1 }, shop: { daily_usd: 2 }, bank: { daily_usd: 3 } }
providers: [{ name: openai, type: openai, base_url: "https://models.example.com/v1", models: [gpt-4o, gpt-4o-mini] }]
routes: [{ match: { model: "*" }, providers: [openai] }]
prices:
  table:
    as_of: "2026-01-01"
    models:
      - { match: gpt-4o, source: test, input_usd_per_million: 2.5, output_usd_per_million: 10 }
      - { match: gpt-4o-mini, source: test, input_usd_per_million: 0.15, output_usd_per_million: 0.6 }
`;
const named = (model: string) => ({ model, resolved_model: model, provider: 'openai' });

let gateway: TestPorts;
beforeAll(async () => {
  gateway = await testPorts({ configuration });
  const calls: [tenant: string, model: string][] = [
    ['home', 'gpt-4o'],
    ['shop', 'gpt-4o'],
    ['bank', 'gpt-4o'],
    ['bank', 'gpt-4o'],
    ['bank', 'constructor'],
  ];
  for (const [tenant, model] of calls) await recordChat(gateway, tenant, named(model));
});
afterAll(() => gateway.stop());

const get = (route: string, key: string) => caller(gateway.ports)('GET', `/admin/v1/${route}`, { key });
async function found(route: string, key: string): Promise<Loose> {
  const { status, body } = await get(route, key);
  expect([route, status, body.error]).toEqual([route, 200, undefined]);
  return body;
}
const requestsIn = ({ summary }: Loose, dimension: string): number =>
  (summary[dimension] as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0);

test('[admin.sums-by-path] usage is added up over the tenants below the path', async () => {
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

test('[admin.sums-by-path] analytics adds up models over the tenants, and global is the traffic below the path', async () => {
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

test('[admin.sums-by-path] budgets name their tenants, and the one of all tenants stands once', async () => {
  const { statuses, open_reservations, ...rest } = await found('budgets?path=acme', 'alice-key-1');
  const seen = (statuses as Loose[]).map(({ scope, tenant, limit_usd }) => [scope, tenant, limit_usd]);
  expect(seen).toEqual([
    ['global', undefined, 100],
    ['tenant', 'shop', 2],
    ['tenant', 'bank', 3],
  ]);
  expect([open_reservations, rest]).toEqual([0, { path: 'acme', tenants: ['shop', 'bank'] }]);
});

test('[admin.sums-by-path] forecasts name their tenants, and the one of all tenants stands once', async () => {
  const { forecasts, ...rest } = await found('budgets/forecast?path=acme', 'alice-key-1');
  const seen = (forecasts as Loose[]).map(({ scope, tenant, limit_usd }) => [scope, tenant, limit_usd]);
  expect(seen).toEqual([
    ['global', undefined, 100],
    ['tenant', 'shop', 2],
    ['tenant', 'bank', 3],
  ]);
  expect(rest).toEqual({ path: 'acme', tenants: ['shop', 'bank'] });
  const own = await found('budgets/forecast', 'bob-key-1');
  expect([own.tenant, own.forecasts.map(({ limit_usd }: Loose) => limit_usd)]).toEqual(['home', [100, 1]]);
  expect((await found('budgets/forecast?path=other', 'alice-key-1')).forecasts).toEqual([]);
});

test('[admin.sums-by-path] models are compared over all tenants, repeated requests within each', async () => {
  const { recommendations } = await found('cost-recommendations?path=acme', 'alice-key-1');
  const kinds = (recommendations as Loose[]).map(({ kind, tenant }) => [kind, tenant]);
  expect(kinds).toEqual([
    ['cheaper_model', undefined],
    ['cache_potential', 'bank'],
    ['repeated_request', 'bank'],
  ]);
  // The shop and the bank sent the same request: a cache of the bank answers no call of the shop.
  expect(recommendations[0].figures).toMatchObject({ model: 'gpt-4o', cheaper_model: 'gpt-4o-mini', requests: 3 });
  expect(recommendations[1].figures).toMatchObject({ calls: 3, repeats: 2 });
});

test('[admin.sums-by-path] without a path the answers are those of the own tenant', async () => {
  expect(await found('usage', 'bob-key-1')).toMatchObject({ tenant: 'home', requests: 1 });
  expect((await found('analytics', 'bob-key-1')).dimensions).toContain('tenant:home');
  const budgets = await found('budgets', 'bob-key-1');
  expect([budgets.tenant, budgets.rate_limit, budgets.statuses.length]).toEqual(['home', {}, 2]);
  expect(await found('cost-recommendations', 'bob-key-1')).toMatchObject({ tenant: 'home' });
});

test('[admin.sums-by-path] a tenant of another team is left out, and named it is not found', async () => {
  expect(await found('usage?path=acme', 'bob-key-1')).toMatchObject({ tenants: ['shop'], requests: 1 });
  expect((await found('budgets?path=acme', 'bob-key-1')).tenants).toEqual(['shop']);
  expect((await found('cost-recommendations?path=acme', 'bob-key-1')).tenants).toEqual(['shop']);
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
  // Without the path it stays the platform's.
  expect((await get('analytics?dimension=global', 'bob-key-1')).status).toBe(403);
});

test('[admin.sums-by-path] agents are refused, a malformed path is 400', async () => {
  for (const route of [
    'usage',
    'analytics',
    'analytics/realtime',
    'budgets',
    'budgets/forecast',
    'cost-recommendations',
  ]) {
    expect([route, (await get(`${route}?path=acme`, 'agent-key-1')).status]).toEqual([route, 403]);
    const { status, body } = await get(`${route}?path=%5Ba`, 'alice-key-1');
    expect([route, status, body.error.type]).toEqual([route, 400, 'invalid_request']);
  }
});

test('[admin.sums-by-path] GraphQL answers the same, with the same tenants', async () => {
  const query = `{
    usage(path: "acme") { tenant tenants requests }
    budgets(path: "acme") { nodes { tenant limitUsd } }
    analytics(path: "acme", dimension: ["global"]) { nodes { dimension buckets { requests } } }
    costRecommendations(path: "acme") { nodes { kind tenant } }
    violations(path: "acme") { byTenant { name } }
  }`;
  const asked = await caller(gateway.ports)('POST', '/admin/v1/graphql', { key: 'bob-key-1', body: { query } });
  expect([asked.status, asked.body.errors]).toEqual([200, undefined]);
  expect(asked.body.data).toEqual({
    usage: { tenant: null, tenants: ['shop'], requests: 1 },
    budgets: {
      nodes: [
        { tenant: null, limitUsd: 100 },
        { tenant: 'shop', limitUsd: 2 },
      ],
    },
    analytics: { nodes: [{ dimension: 'global', buckets: [{ requests: 1 }] }] },
    costRecommendations: { nodes: [{ kind: 'cheaper_model', tenant: null }] },
    violations: { byTenant: [{ name: 'shop' }] },
  });
});

test('[admin.sums-by-path] a path of more tenants than an answer adds up is refused with the number', async () => {
  const ids = Array.from({ length: 201 }, (_, n) => `t${n}`);
  const many = await testPorts({
    configuration: JSON.stringify({
      version: 1,
      people: [{ id: 'alice', role: 'admin', tenants: ['*'] }],
      tenants: [
        {
          id: 'home',
          api_keys: [{ key: 'alice-key-1', kind: 'human', person: 'alice', role: 'admin', platform: true }],
        },
        ...ids.map((id) => ({ id, api_keys: [{ key: `key-of-${id}`, kind: 'agent' }] })),
      ],
      organizations: [
        {
          id: 'acme',
          teams: [
            {
              id: 'web',
              projects: ids.map((id) => ({
                id,
                environments: [{ id: 'production', kind: 'production', tenant: id }],
              })),
            },
          ],
        },
      ],
    }),
  });
  try {
    const ask = (path: string) => caller(many.ports)('GET', `/admin/v1/usage?path=${path}`, { key: 'alice-key-1' });
    const refused = await ask('acme');
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('201 tenants')]);
    const foreseen = (path: string) =>
      caller(many.ports)('GET', `/admin/v1/budgets/forecast?path=${path}`, { key: 'alice-key-1' });
    expect((await foreseen('acme')).body.error.message).toContain('at most 20');
    expect((await foreseen('acme/web/t7')).body).toMatchObject({ tenants: ['t7'], forecasts: [] });
    expect((await ask('acme/web/t7')).body).toMatchObject({ tenants: ['t7'] });
  } finally {
    await many.stop();
  }
});
