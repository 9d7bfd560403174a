/** Prices of what is served: caches by their lifetime, long contexts, and where the table has no such price. */
import { configurationSchema } from '#core/contracts/config.ts';
import { costOf, lacksLongPrice } from '#core/limits/prices.ts';

const { prices } = configurationSchema.parse({
  version: 1,
  tenants: [{ id: 'default', api_keys: ['key-of-the-tenant-1'] }],
  prices: {
    table: {
      as_of: '2026-01-01',
      models: [
        {
          match: 'plain',
          input_usd_per_million: 3,
          output_usd_per_million: 15,
          cache_write_usd_per_million: 3.75,
          source: 's',
        },
        {
          match: 'named',
          input_usd_per_million: 3,
          output_usd_per_million: 15,
          cache_write_1h_usd_per_million: 7,
          source: 's',
        },
        {
          match: 'long',
          ...{ input_usd_per_million: 3, output_usd_per_million: 15, source: 's' },
          long_context: { above_tokens: 200_000, input_usd_per_million: 6, output_usd_per_million: 22.5 },
        },
        { match: 'free', input_usd_per_million: 0, output_usd_per_million: 0, source: 's' },
      ],
    },
  },
});
const cost = (model: string, usage: object) =>
  costOf({ prices } as never, model, { input_tokens: 0, output_tokens: 0, ...usage }, 1).microusd;

test('[budget.served] an hour in the cache of the provider has its own price', () => {
  expect(cost('plain', { cache_write_tokens: 1_000 })).toBe(3_750);
  expect(cost('plain', { cache_write_tokens: 1_000, cache_write_1h_tokens: 1_000 })).toBe(6_000);
  expect(cost('named', { cache_write_tokens: 1_000, cache_write_1h_tokens: 400 })).toBe(600 * 3 + 400 * 7);
  // More hours than writes is no credit.
  expect(cost('plain', { cache_write_tokens: 100, cache_write_1h_tokens: 1_000 })).toBe(600);
});

test('[budget.served] a table without a price for long contexts is known to lack it', () => {
  const long = { input_tokens: 100_000, output_tokens: 1, cache_read_tokens: 150_000 };
  expect(lacksLongPrice({ prices } as never, 'plain', long)).toBe(true);
  expect(lacksLongPrice({ prices } as never, 'plain', { ...long, cache_read_tokens: 0 })).toBe(false);
  for (const model of ['long', 'free', 'unknown']) expect(lacksLongPrice({ prices } as never, model, long)).toBe(false);
  expect(cost('long', { input_tokens: 200_001, output_tokens: 1_000 })).toBe(200_001 * 6 + 22_500);
});
