/** Budgets, prices and the response cache. */
import * as z from 'zod';
import { priceTableSchema } from '../prices.ts';
import { seconds, usd } from './words.ts';

export const budget = z.strictObject({
  monthly_usd: usd
    .optional()
    .meta({ description: 'US dollars per calendar month (UTC). If absent, unlimited; 0: nothing may be spent.' }),
  daily_usd: usd
    .optional()
    .meta({ description: 'US dollars per day (UTC). If absent, unlimited; 0: nothing may be spent.' }),
});
const modelBudgets = {
  models: z.record(z.string().min(1), budget).optional().meta({ description: 'Budgets by glob of the model name.' }),
};
export const budgetWithModels = z.strictObject({ ...budget.shape, ...modelBudgets });

export const budgets = z
  .strictObject({
    global: budgetWithModels.optional().meta({ description: 'Budget of all tenants together.' }),
    tenants: z.record(z.string().min(1), budgetWithModels).default({}).meta({ description: 'Budgets by tenant id.' }),
  })
  .prefault({});

export const prices = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .default('config/prices.yaml')
      .meta({ description: 'YAML file with the prices, absolute or relative to the working directory.' }),
    unknown_model: z.enum(['refuse', 'estimate']).default('estimate').meta({
      description:
        'Handling of a model without a price: refuse refuses its calls if a budget applies, estimate charges the highest price in the table.',
    }),
    table: priceTableSchema.optional().meta({ description: 'Content of the file, as stored with the configuration.' }),
  })
  .prefault({});

/** Cache of responses to identical or equivalent requests. */
export const cache = z
  .strictObject({
    enabled: z.boolean().default(true).meta({ description: 'Whether responses are cached.' }),
    ttl_seconds: seconds.default(300).meta({ description: 'Seconds for which a response is reused.' }),
    max_entries: z
      .int()
      .positive()
      .max(1_000_000)
      .default(1000)
      .meta({ description: 'Responses kept in one process.' }),
    max_temperature: z.number().min(0).max(2).default(0).meta({
      description:
        'Highest temperature, 0 to 2, of requests whose responses are cached. A request without temperature is cached.',
    }),
    semantic: z
      .strictObject({
        enabled: z.boolean().default(false).meta({ description: 'Whether requests are compared by meaning.' }),
        threshold: z
          .number()
          .min(0)
          .max(1)
          .default(0.92)
          .meta({ description: 'Cosine similarity, 0 to 1, at which two requests count as having the same meaning.' }),
        embedder: z.string().min(1).optional().meta({
          description:
            'Name of a provider of type openai or bedrock. If absent, character n-grams are computed in the gateway.',
        }),
        embedding_model: z.string().min(1).optional().meta({ description: 'Model of the embedder.' }),
      })
      .prefault({})
      .meta({ description: 'Reuse of responses for requests with the same meaning.' }),
  })
  .prefault({});
