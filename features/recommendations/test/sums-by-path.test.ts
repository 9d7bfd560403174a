/** Forecasts and recommendations for an organisation path, limited by the caller's visibility. */
import { caller } from '../../../test/support/call-endpoint.ts';
import { manyTenants, spendingLevels } from '../../../test/support/levels.ts';
import type { Loose } from '../../../test/support/loose.ts';
import type { TestPorts } from '../../../test/support/ports.ts';

let gateway: TestPorts;
beforeAll(async () => {
  gateway = await spendingLevels();
});
afterAll(() => gateway.stop());

const get = (route: string, key: string) => caller(gateway.ports)('GET', `/admin/v1/${route}`, { key });
async function found(route: string, key: string): Promise<Loose> {
  const { status, body } = await get(route, key);
  expect([route, status, body.error]).toEqual([route, 200, undefined]);
  return body;
}

test('[admin.by-path] forecasts name their tenants, and the global forecast is listed once', async () => {
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

test('[admin.by-path] models are compared across all tenants, and repeated requests within each tenant', async () => {
  const { recommendations } = await found('cost-recommendations?path=acme', 'alice-key-1');
  const kinds = (recommendations as Loose[]).map(({ kind, tenant }) => [kind, tenant]);
  expect(kinds).toEqual([
    ['cheaper_model', undefined],
    ['cache_potential', 'bank'],
    ['repeated_request', 'bank'],
  ]);
  // The shop and the bank sent the same request, but the bank's cache does not answer the shop's calls.
  expect(recommendations[0].figures).toMatchObject({ model: 'gpt-4o', cheaper_model: 'gpt-4o-mini', requests: 3 });
  expect(recommendations[1].figures).toMatchObject({ calls: 3, repeats: 2 });
});

test('[admin.by-path] recommendations name their tenants; without a path they cover only the caller’s own tenant', async () => {
  expect(await found('cost-recommendations', 'bob-key-1')).toMatchObject({ tenant: 'home' });
  expect((await found('cost-recommendations?path=acme', 'bob-key-1')).tenants).toEqual(['shop']);
});

test.each(['budgets/forecast', 'cost-recommendations'])(
  '[admin.by-path] %s refuses agents and malformed paths',
  async (route) => {
    expect((await get(`${route}?path=acme`, 'agent-key-1')).status).toBe(403);
    const { status, body } = await get(`${route}?path=%5Ba`, 'alice-key-1');
    expect([status, body.error.type]).toEqual([400, 'invalid_request']);
  },
);

test('[admin.by-path] a forecast for too many tenants is refused, stating the maximum', async () => {
  const many = await manyTenants();
  try {
    const foreseen = (path: string) =>
      caller(many.ports)('GET', `/admin/v1/budgets/forecast?path=${path}`, { key: 'alice-key-1' });
    expect((await foreseen('acme')).body.error.message).toContain('at most 20');
    expect((await foreseen('acme/web/t7')).body).toMatchObject({ tenants: ['t7'], forecasts: [] });
  } finally {
    await many.stop();
  }
});
