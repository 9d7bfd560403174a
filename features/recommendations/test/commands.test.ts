/** `forecast`, `cost-recommendations` and `budgets --forecast`. */
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

const home = new Home();
const server = serverOf(home);

test('[admin.cost-recommendations] [admin.by-path] cost-recommendations reports possible savings and their tenants', async () => {
  const repeated = { kind: 'repeated_request', saving_usd: 2.5, tenant: 'shop', message: 'Sent twice.', figures: {} };
  server.on('GET /admin/v1/cost-recommendations', { path: 'acme/*', tenants: ['shop'], recommendations: [repeated] });
  const recommended = await home.run(['cost-recommendations', '--path', 'acme/*']);
  expect([recommended.code, recommended.out]).toEqual([0, '$2.50  shop: Sent twice.\n']);
  server.on('GET /admin/v1/cost-recommendations', { tenant: 'default', recommendations: [] });
  expect((await home.run(['cost-recommendations'])).out).toBe('no savings were found\n');
});

test('[budget.forecast] [admin.by-path] forecast shows the expected end-of-period spend of each budget, with its owner', async () => {
  const budget = { scope: 'tenant', scope_id: 'x', period: 'month', limit_usd: 9, spent_usd: 4, days_observed: 9 };
  const known = { projected_usd: 12, low_usd: 10, high_usd: 14, will_exceed: true, exhausted_at: '2026-11-28' };
  const unknown = { projected_usd: null, low_usd: null, high_usd: null, will_exceed: null, exhausted_at: null };
  const forecasts = [
    { ...budget, ...unknown, account: 'global' },
    { ...budget, ...known, account: 'tenant', tenant: 'shop' },
  ];
  server.on('GET /admin/v1/budgets/forecast', { path: 'acme', tenants: ['shop'], forecasts });
  const { code, out } = await home.run(['forecast', '--path', 'acme']);
  expect([code, server.seen.at(-1)!.path]).toEqual([0, '/admin/v1/budgets/forecast?path=acme']);
  expect(out).toMatch(/\n\* +global +month +\$4\.00 +not known yet +\$9\.00/);
  expect(out).toMatch(
    /\nshop +tenant +month +\$4\.00 +\$12\.00 \(\$10\.00 to \$14\.00\) +\$9\.00 +exceeded on 2026-11-28/,
  );
  server.on('GET /admin/v1/budgets/forecast', { tenant: 'default', forecasts: [] });
  expect((await home.run(['forecast'])).out).toBe('no budget is configured: spending is not limited\n');
});

test('[budget.forecast] budgets --forecast shows the same forecast', async () => {
  server.on('GET /admin/v1/budgets/forecast', { forecasts: [] });
  const [forecast, same] = [await home.run(['budgets', '--forecast']), await home.run(['forecast'])];
  expect(forecast).toEqual(same);
});
