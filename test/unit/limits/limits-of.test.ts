import { type Configuration, configurationSchema } from '#core/contracts/config.ts';
import { limitHeaders } from '#core/limits/headers.ts';
import { limitsOf } from '#core/limits/limits-of.ts';
import type { BudgetStatus } from '#core/limits/ports.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';
import { budget } from './sample.ts';

const configuration = (over: object) =>
  configurationSchema.parse({
    version: 1,
    tenants: [
      { id: 'a', api_keys: ['k1'], rate_limit: { requests_per_minute: 0, tokens_per_minute: 1000 } },
      { id: 'b', api_keys: ['k2'] },
    ],
    ...over,
  }) as unknown as Configuration;

describe('the limits of a call', () => {
  const budgets = {
    tenants: {
      a: { monthly_usd: 50, daily_usd: 5, models: { 'gpt-*': { monthly_usd: 20 }, 'claude-*': { daily_usd: 1 } } },
    },
    global: { monthly_usd: 500.1, models: { '*': { daily_usd: 0 } } },
  };

  test('are those of the tenant and every budget that applies to the model', () => {
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

  test('are resolved once per configuration, tenant and model', () => {
    const one = configuration({ budgets });
    expect(limitsOf(one, 'a', 'gpt-4o')).toBe(limitsOf(one, 'a', 'gpt-4o'));
    expect(limitsOf(one, 'a', 'gpt-4o')).not.toBe(limitsOf(configuration({ budgets }), 'a', 'gpt-4o'));
    for (let i = 0; i < 2500; i++) limitsOf(one, 'a', `model-${i}`);
    expect(limitsOf(one, 'a', 'gpt-4o').budgets).toHaveLength(5);
  });

  test('of an unknown tenant are none: it is refused', () => {
    expect(() => limitsOf(configuration({}), 'constructor', 'mock')).toThrow(
      /tenant "constructor" is not in the configuration/,
    );
    expect(
      limitsOf(configuration({ tenants: [{ id: 'constructor', api_keys: ['k'] }] }), 'constructor', 'm').budgets,
    ).toEqual([]);
  });

  test.each([
    ['gpt-*', 'gpt-4o', true],
    ['gpt-*', 'GPT-4o', true],
    ['*', 'meta/llama', true],
    ['meta/*', 'meta/llama/3', true],
    ['*/llama', 'meta/x/llama', true],
    ['*/llama', 'llama', false],
    ['{gpt,claude}-*', 'claude-3/5', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['[*]x', '*x', true],
    ['[*]x', 'yx', false],
    ['gpt-4', 'gpt-4o', false],
  ])('the model glob %s on %s: %s', (pattern, model, matches) => {
    expect(modelMatches(pattern, model)).toBe(matches);
  });
});

describe('the headers', () => {
  const limits = {
    limit_requests: 60,
    remaining_requests: 59,
    reset_requests: 12,
    limit_tokens: 1000,
    remaining_tokens: 0,
    reset_tokens: 61,
  };
  const status = (account: string, used_microusd: number, tier: BudgetStatus['tier']): BudgetStatus => ({
    ...budget(50_000_000, { account }),
    used_microusd,
    reserved_microusd: 0,
    tier,
  });

  test('[limit.rate] say how much is left and when the window is empty', () => {
    expect(limitHeaders({ ok: true, limits, budgets: [] })).toEqual({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '12s',
      'x-ratelimit-limit-tokens': '1000',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '61s',
    });
    const refused = {
      ok: false,
      code: 'rate_limit_error',
      message: '',
      what: '',
      retryAfterSeconds: 1,
      limits,
    } as const;
    expect(limitHeaders(refused)).toMatchObject({ 'x-ratelimit-remaining-tokens': '0' });
    expect(limitHeaders({ ok: true, limits: {}, budgets: [] })).toEqual({});
  });

  test('[limit.budget] warn from 90 %, in ASCII', () => {
    const budgets = [
      status('tenant', 46_900_000, 'warning'),
      status('tenant:gpt-*', 40_000_000, 'alert'),
      status('global:modèle\n*', 50_000_000, 'exhausted'),
    ];
    expect(limitHeaders({ ok: true, limits: {}, budgets })).toEqual({
      'x-budget-warning': 'tenant 93% of 50.00 USD, global:mod?le?* 100% of 50.00 USD',
    });
  });
});
