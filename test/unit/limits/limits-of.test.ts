import type { Configuration } from '#core/contracts/config.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import { configurationSchema } from '#features/configuration.ts';

const configuration = (over: object) =>
  configurationSchema.parse({
    version: 1,
    tenants: [
      { id: 'a', api_keys: ['k1'], rate_limit: { requests_per_minute: 0, tokens_per_minute: 1000 } },
      { id: 'b', api_keys: ['k2'] },
    ],
    ...over,
  }) as unknown as Configuration;

describe('the limits that apply to a call', () => {
  const budgets = {
    tenants: {
      a: { monthly_usd: 50, daily_usd: 5, models: { 'gpt-*': { monthly_usd: 20 }, 'claude-*': { daily_usd: 1 } } },
    },
    global: { monthly_usd: 500.1, models: { '*': { daily_usd: 0 } } },
  };

  test('are the tenant’s limits plus every budget that applies to the model', () => {
    expect(limitsOf(configuration({ budgets }), 'a', 'gpt-4o')).toEqual({
      requests_per_minute: 0,
      tokens_per_minute: 1000,
      budgets: [
        { account: 'tenant', scope: 'tenant', period: 'day', limit_microusd: 5_000_000 },
        { account: 'tenant', scope: 'tenant', period: 'month', limit_microusd: 50_000_000 },
        { account: 'tenant:gpt-*', scope: 'tenant', period: 'month', limit_microusd: 20_000_000 },
        { account: 'global', scope: 'global', period: 'month', limit_microusd: 500_100_000 },
        { account: 'global:*', scope: 'global', period: 'day', limit_microusd: 0 },
      ],
    });
    expect(limitsOf(configuration({ budgets }), 'b', '').budgets.map(({ account }) => account)).toEqual(['global']);
    expect(limitsOf(configuration({}), 'b', 'mock')).toEqual({ budgets: [] });
  });

  test('do not exist for an unknown tenant, so the call is refused', () => {
    expect(() => limitsOf(configuration({}), 'constructor', 'mock')).toThrow(
      /tenant "constructor" is not in the configuration/,
    );
    expect(
      limitsOf(configuration({ tenants: [{ id: 'constructor', api_keys: ['k'] }] }), 'constructor', 'm').budgets,
    ).toEqual([]);
  });
});
