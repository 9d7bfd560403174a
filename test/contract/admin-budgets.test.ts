/** Budgets, providers and forecasts, as an administrator reads them. */
import { limitsOf } from '#core/limits/limits-of.ts';
import { call, gateway, get, record } from '../support/admin-chat.ts';
import { keys } from '../support/ports.ts';

test('[admin.budgets] providers: configuration without secrets, health and breaker', async () => {
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
test('[admin.budgets] budgets: every account of the tenant and the global ones, as the counters have them', async () => {
  const { counters, snapshots } = gateway.ports;
  const { configuration } = await snapshots.current();
  const limits = limitsOf(configuration, 'default', 'gpt-4o');
  await counters.reserve({
    tenant: 'default',
    id: 'r1',
    session_id: 's',
    tokens: 10,
    cost_microusd: 20_000_000 / 4,
    limits,
  });
  await counters.settle('default', 'r1', { tokens: 10, cost_microusd: 20_000_000 / 4, counted: true });
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
      expect.objectContaining({
        account: 'tenant:{o1,o3}-*',
        period: 'day',
        spent_usd: 0,
        resets_at: '2026-01-02T00:00:00.000Z',
      }),
      expect.objectContaining({ account: 'global', period: 'day', limit_usd: 10 }),
    ]),
  );
});
test('[admin.budgets.forecast] each budget has a forecast, or none while three days of spend are missing', async () => {
  const { forecasts } = await get('budgets/forecast', keys.viewer);
  expect(forecasts).toHaveLength(4);
  for (const each of forecasts)
    expect(each).toMatchObject({ projected_usd: null, will_exceed: null, exhausted_at: null });
});
test('[budget.forecast] four days of spend are the level of the days to come', async () => {
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
