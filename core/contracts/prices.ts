/** Schema of the model price list, with its date and source. */
import * as z from 'zod';

const perMillion = z.number().nonnegative().max(1_000_000);

export const priceTableSchema = z.strictObject({
  as_of: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, 'a day such as 2026-01-31')
    .meta({ description: 'The day the prices were read, YYYY-MM-DD.' }),
  models: z
    .array(
      z.strictObject({
        match: z.string().min(1).meta({ description: 'Glob of the model name.' }),
        input_usd_per_million: perMillion.meta({ description: 'US dollars per million input tokens.' }),
        output_usd_per_million: perMillion.meta({ description: 'US dollars per million output tokens.' }),
        cache_read_usd_per_million: perMillion.optional().meta({
          description: 'US dollars per million tokens read from the cache of the provider. If absent, the input price.',
        }),
        cache_write_usd_per_million: perMillion.optional().meta({
          description:
            'US dollars per million tokens written to the cache of the provider. If absent, the input price.',
        }),
        cache_write_1h_usd_per_million: perMillion.optional().meta({
          description:
            'US dollars per million tokens written to the cache of the provider for an hour. If absent, the higher of twice the input price and the price of a cache write.',
        }),
        long_context: z
          .strictObject({
            above_tokens: z
              .int()
              .positive()
              .meta({ description: 'Input tokens, including cached ones, above which these prices apply.' }),
            input_usd_per_million: perMillion.meta({ description: 'US dollars per million input tokens.' }),
            output_usd_per_million: perMillion.meta({ description: 'US dollars per million output tokens.' }),
          })
          .optional()
          .meta({
            description:
              'Prices of calls with a long context, for all their tokens. Prices of the cache rise as the input price does.',
          }),
        source: z.string().min(1).meta({ description: 'Where the price was read.' }),
      }),
    )
    .min(1)
    .meta({ description: 'Prices by model. The first entry that matches applies.' }),
});
export type PriceTable = z.infer<typeof priceTableSchema>;
