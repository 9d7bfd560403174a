/** Recommendations of cheaper models, and calls that get no recommendation. */
import type { Configuration } from '#core/contracts/config.ts';
import { cheaperModels } from '../cheaper-models.ts';

const price = (match: string, usd: number) => ({
  match,
  input_usd_per_million: usd,
  output_usd_per_million: usd,
  source: 'x',
});
const configuration = {
  aliases: { models: {} },
  routes: [],
  providers: [
    { name: 'a', enabled: true, models: ['big', 'small', 'mini-*'] },
    { name: 'b', enabled: true, models: ['elsewhere'] },
  ],
  prices: {
    table: {
      as_of: '2026-01-01',
      models: [price('big', 10), price('small', 9.5), price('{mini-1,mini-20*}', 1), price('elsewhere', 0.1)],
    },
  },
} as unknown as Configuration;
const used = (model: string, input_tokens = 1_000_000) => ({
  model,
  requests: 5,
  input_tokens,
  output_tokens: 0,
  cost_usd: 0,
  errors: 0,
});

test('[admin.cost-recommendations] recommends the cheapest model of the same provider, with its hypothetical cost', () => {
  expect(cheaperModels(configuration, [used('big'), used('small', 2_000_000)])).toEqual([
    expect.objectContaining({
      kind: 'cheaper_model',
      saving_usd: 17,
      figures: expect.objectContaining({ model: 'small', cheaper_model: 'mini-1', cost_usd: 19, cheaper_cost_usd: 2 }),
    }),
    expect.objectContaining({ saving_usd: 9, figures: expect.objectContaining({ model: 'big', requests: 5 }) }),
  ]);
});

test.each([
  ['the cheapest itself', [used('mini-1')]],
  ['a model without a price', [used('mini-unknown-to-all')]],
  ['a model that nobody serves', [used('gone')]],
  ['nothing used', []],
  ['a use that cost nothing', [used('big', 0)]],
])('[admin.cost-recommendations] nothing for %s', (_, usage) => {
  expect(cheaperModels(configuration, usage)).toEqual([]);
});
