/** Budget forecasts as seen by an administrator. */
import { gateway, get, record } from '../../../test/support/admin-chat.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import { keys, testPorts } from '../../../test/support/ports.ts';

test('[budget.forecast] each budget has a forecast, unless fewer than three days of spend are known', async () => {
  const { forecasts } = await get('budgets/forecast', keys.viewer);
  expect(forecasts).toHaveLength(4);
  for (const each of forecasts)
    expect(each).toMatchObject({ projected_usd: null, will_exceed: null, exhausted_at: null });
});
test('[budget.forecast] four days of spend set the expected level for the following days', async () => {
  for (let day = 0; day < 4; day++) {
    await record({ cost_microusd: 2_000_000 });
    gateway.pass(86_400);
  }
  const { forecasts } = await get('budgets/forecast', keys.viewer);
  const tenant = forecasts.find(({ account }: { account: string }) => account === 'tenant');
  expect(tenant.days_observed).toBe(4);
  expect(tenant.projected_usd).toBeGreaterThan(10);
  expect(tenant.low_usd).toBeLessThanOrEqual(tenant.projected_usd);
  expect(tenant.high_usd).toBeGreaterThanOrEqual(tenant.projected_usd);
});

test('[limit.key] [budget.forecast] the forecast for a key’s budget uses the days on which that key spent money', async () => {
  const lab = await testPorts({
    tenants: `
  - id: lab
    api_keys:
      - { key: paid-key, name: paid, budget: { monthly_usd: 1 } }
      - { key: lab-viewer, kind: service, role: viewer, name: lab-viewer }
`,
    extra: `
cache: { enabled: false }
prices:
  table:
    as_of: "2026-01-01"
    models: [{ match: "mock*", input_usd_per_million: 1, output_usd_per_million: 100, source: "https://prices.example" }]
`,
  });
  try {
    const call = caller(lab.ports);
    const body = { model: 'mock', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
    for (let day = 0; day < 5; day++) {
      lab.pass(86_400);
      expect((await call('POST', '/v1/chat/completions', { key: 'paid-key', body })).status).toBe(200);
    }
    const [month] = (await call('GET', '/admin/v1/budgets/forecast', { key: 'lab-viewer' })).body.forecasts;
    expect(month).toMatchObject({ scope: 'key', key_name: 'paid', period: 'month' });
    expect(month.days_observed).toBeGreaterThanOrEqual(4);
    expect(month.projected_usd).toBeGreaterThan(0);
  } finally {
    await lab.stop();
  }
});
