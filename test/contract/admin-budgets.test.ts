/** Budgets and providers, as an administrator reads them. */
import { limitsOf } from '#core/limits/limits-of.ts';
import { call, gateway, get, record } from '../support/admin-chat.ts';
import { keys } from '../support/ports.ts';

test('[limit.budget] providers: configuration without secrets, health and breaker', async () => {
  await record();
  await record({ outcome: 'failed', attempts: [{ provider: 'openai', error: '503' }] });
  const answer = await call('GET', '/admin/v1/providers', { key: keys.viewer });
  expect(answer.body.providers).toMatchObject([
    {
      ...{ name: 'mock', type: 'mock', enabled: true, models: ['mock'], has_key: false, health: 'unhealthy' },
      ...{ breaker: 'half-open', requests: 2, errors: 1, error_rate: 0.5 },
    },
    {
      ...{ name: 'openai', enabled: false, region: 'us', base_url: 'https://llm.example/v1', has_key: true },
      ...{ health: 'disabled', requests: 1, errors: 1 },
    },
  ]);
  expect(answer.text).not.toMatch(/OPENAI_API_KEY|hidden|api_key_env/);
  gateway.pass(16 * 60);
  expect((await get('providers')).providers[0]).toMatchObject({ health: 'unknown', requests: 0 });
});
test('[limit.budget] budgets: every account of the tenant and the global ones, as the counters have them', async () => {
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
        ...{ account: 'tenant', scope: 'tenant', scope_id: 'default', period: 'month', limit_usd: 50, spent_usd: 5 },
        ...{ reserved_usd: 0, percentage: 10, tier: 'ok', resets_at: '2026-02-01T00:00:00.000Z' },
      },
      {
        ...{ account: 'tenant:gpt-[4o]*', scope: 'model', scope_id: 'gpt-[4o]*', period: 'month', limit_usd: 20 },
        ...{ spent_usd: 5, reserved_usd: 0, percentage: 25, tier: 'ok', resets_at: '2026-02-01T00:00:00.000Z' },
      },
      expect.objectContaining({ account: 'tenant:{o1,o3}-*', period: 'day', resets_at: '2026-01-02T00:00:00.000Z' }),
      expect.objectContaining({ account: 'global', period: 'day', limit_usd: 10 }),
    ]),
  );
});
