import type { Configuration } from '#core/contracts/config.ts';
import { costOf, lacksLongPrice, priceOf, reserveCost } from '#core/limits/prices.ts';
import { budget, noLimits } from './sample.ts';

const row = (match: string, input: number, output: number, more: object = {}) => ({
  match,
  input_usd_per_million: input,
  output_usd_per_million: output,
  source: 'price list',
  ...more,
});

const configuration = (unknown_model: 'estimate' | 'refuse' = 'estimate', priced = true) =>
  ({
    prices: {
      file: 'prices.yaml',
      unknown_model,
      ...(priced && {
        table: {
          as_of: '2026-11-01',
          models: [
            row('mock*', 0, 0),
            row('gpt-mini', 0.15, 0.6, { cache_read_usd_per_million: 0.075 }),
            row('claude-*', 3, 15, { cache_read_usd_per_million: 0.3, cache_write_usd_per_million: 3.75 }),
            row('meta/*', 0.1, 0.1),
          ],
        },
      }),
    },
  }) as unknown as Configuration;

const usage = (input_tokens: number, output_tokens: number, more: object = {}) => ({
  input_tokens,
  output_tokens,
  ...more,
});

describe('the cost of a call', () => {
  test.each([
    ['mock-echo', usage(1000, 1000), 0],
    ['gpt-mini', usage(1_000_000, 1_000_000), 750_000],
    ['gpt-mini', usage(1, 0), 1],
    ['gpt-mini', usage(7, 0), 2],
    ['gpt-mini', usage(1000, 100, { cache_read_tokens: 1000 }), 285],
    ['claude-x', usage(10, 10, { cache_read_tokens: 1000, cache_write_tokens: 1000 }), 30 + 150 + 300 + 3750],
    ['meta/llama/3', usage(30, 0), 3],
    ['GPT-MINI', usage(1_000_000, 0), 150_000],
  ])('%s with %j is %d micro-dollars, rounded up', (model, used, microusd) => {
    expect(costOf(configuration(), model, used)).toEqual({ microusd, estimated: false });
  });

  test('a model without a price is charged at the highest price, and the cost is marked as estimated', () => {
    expect(costOf(configuration(), 'new-model', usage(10, 10))).toEqual({ microusd: 180, estimated: true });
    expect(costOf(configuration('refuse'), 'new-model', usage(10, 10)).estimated).toBe(true);
    expect(costOf(configuration('estimate', false), 'gpt-mini', usage(10, 10))).toEqual({
      microusd: 0,
      estimated: true,
    });
  });

  test('a million times the tokens cost exactly a million times as much', () => {
    const one = costOf(configuration(), 'meta/llama-3', usage(10, 0)).microusd;
    expect(one).toBe(1);
    expect(costOf(configuration(), 'meta/llama-3', usage(10_000_000, 0)).microusd).toBe(1_000_000);
  });

  test('invalid token counts cost nothing', () => {
    expect(costOf(configuration(), 'gpt-mini', usage(Number.NaN, -5)).microusd).toBe(0);
    expect(costOf(configuration(), 'claude-x', usage(Number.POSITIVE_INFINITY, 0.5)).microusd).toBe(15);
  });
});

describe('a call’s reservation', () => {
  const limited = { budgets: [budget(1000)] };

  test('input is reserved at the cache write price, so the settled cost never exceeds the reservation', () => {
    expect(reserveCost(configuration(), 'claude-x', usage(1000, 0), limited)).toBe(3750);
    expect(reserveCost(configuration(), 'gpt-mini', usage(1000, 0), limited)).toBe(150);
  });

  test('[limit.budget] a call with a budget but no known price is refused if estimates are not allowed', () => {
    for (const refusing of [configuration('refuse'), configuration('estimate', false)]) {
      expect(priceOf(refusing, 'new-model')).toBe('unknown');
      expect(() => reserveCost(refusing, 'new-model', usage(1, 1), limited)).toThrow(
        /price of the model "new-model" is not known/,
      );
    }
    expect(reserveCost(configuration('refuse'), 'new-model', usage(10, 10), noLimits)).toBe(180);
    expect(reserveCost(configuration('estimate', false), 'new-model', usage(10, 10), noLimits)).toBe(0);
    expect(reserveCost(configuration('refuse'), 'gpt-mini', usage(1000, 0), limited)).toBe(150);
  });
});

test.each([
  [1, 750_000],
  [2, 1_500_000],
  [1.25, 937_500],
  [1.1, 825_000],
  [0.5, 375_000],
  [1.0001, 750_750],
])(
  '[budget.served] a surcharge of %d multiplies the cost, with the factor rounded up to thousandths',
  (surcharge, microusd) => {
    const used = usage(1_000_000, 1_000_000);
    expect(costOf(configuration(), 'gpt-mini', used, surcharge).microusd).toBe(microusd);
    expect(costOf(configuration(), 'gpt-mini', usage(1, 0), surcharge).microusd).toBe(1);
  },
);

describe('[budget.served] cache and long-context prices', () => {
  const rows = [
    row('plain', 3, 15, { cache_write_usd_per_million: 3.75 }),
    row('named', 3, 15, { cache_write_1h_usd_per_million: 7 }),
    row('long', 3, 15, {
      long_context: { above_tokens: 200_000, input_usd_per_million: 6, output_usd_per_million: 22.5 },
    }),
    row('free', 0, 0),
  ];
  const served = { prices: { table: { as_of: '2026-01-01', models: rows } } } as unknown as Configuration;
  const cost = (model: string, used: object) => costOf(served, model, usage(0, 0, used), 1).microusd;

  test('one-hour cache writes have their own price', () => {
    expect(cost('plain', { cache_write_tokens: 1_000 })).toBe(3_750);
    expect(cost('plain', { cache_write_tokens: 1_000, cache_write_1h_tokens: 1_000 })).toBe(6_000);
    expect(cost('named', { cache_write_tokens: 1_000, cache_write_1h_tokens: 400 })).toBe(600 * 3 + 400 * 7);
    // Reporting more one-hour tokens than cache writes gives no credit.
    expect(cost('plain', { cache_write_tokens: 100, cache_write_1h_tokens: 1_000 })).toBe(600);
  });

  test('a missing long-context price is reported', () => {
    const long = { input_tokens: 100_000, output_tokens: 1, cache_read_tokens: 150_000 };
    expect(lacksLongPrice(served, 'plain', long)).toBe(true);
    expect(lacksLongPrice(served, 'plain', { ...long, cache_read_tokens: 100_000 })).toBe(false);
    for (const model of ['long', 'free', 'unknown']) expect(lacksLongPrice(served, model, long)).toBe(false);
    expect(cost('long', { input_tokens: 200_001, output_tokens: 1_000 })).toBe(200_001 * 6 + 22_500);
  });
});
