/** Prices of models as data: dated, with their source (contract §1). */
import * as z from 'zod';

const perMillion = z.number().nonnegative();

export const priceTableSchema = z.strictObject({
  /** The day the prices were read, `YYYY-MM-DD`. */
  as_of: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'a day such as 2026-01-31'),
  /** First match wins. US dollars per million tokens. */
  models: z
    .array(
      z.strictObject({
        match: z.string().min(1),
        input_usd_per_million: perMillion,
        output_usd_per_million: perMillion,
        cache_read_usd_per_million: perMillion.optional(),
        cache_write_usd_per_million: perMillion.optional(),
        source: z.string().min(1),
      }),
    )
    .min(1),
});
export type PriceTable = z.infer<typeof priceTableSchema>;
