/** What a call is settled by: every token that was billed. */
import { settlementOf } from '#core/limits/heal.ts';

test('[limit.rate] tokens from and into the cache of the provider count with the others', () => {
  const usage = { input_tokens: 1, output_tokens: 20, cache_read_tokens: 300, cache_write_tokens: 4000 };
  expect(settlementOf({ usage, cost_microusd: 7 })).toEqual({ tokens: 4321, cost_microusd: 7, counted: true });
  expect(settlementOf({ usage: { input_tokens: 1, output_tokens: 2 }, cost_microusd: 0 }).tokens).toBe(3);
});
