/** Budgets, prices and the response cache: what calls may cost (spec §8). */
import * as z from 'zod';
import { priceTableSchema } from '../prices.ts';
import { seconds, usd } from './words.ts';

export const budget = z.strictObject({ monthly_usd: usd.optional(), daily_usd: usd.optional() });
const modelBudgets = { models: z.record(z.string().min(1), budget).optional() };

export const budgets = z
  .strictObject({
    global: z.strictObject({ ...budget.shape, ...modelBudgets }).optional(),
    tenants: z.record(z.string().min(1), z.strictObject({ ...budget.shape, ...modelBudgets })).default({}),
  })
  .prefault({});

export const prices = z
  .strictObject({
    file: z.string().min(1).default('config/prices.yaml'),
    /** A model without a price: refused where a budget applies, or charged at the dearest price known. */
    unknown_model: z.enum(['refuse', 'estimate']).default('estimate'),
    /** The file's content, as stored with the configuration. */
    table: priceTableSchema.optional(),
  })
  .prefault({});

/** Answers given before, for the same question or one that means the same. */
export const cache = z
  .strictObject({
    enabled: z.boolean().default(true),
    ttl_seconds: seconds.default(300),
    max_entries: z.int().positive().default(1000),
    semantic: z
      .strictObject({
        enabled: z.boolean().default(false),
        threshold: z.number().min(0).max(1).default(0.92),
        /** Name of a provider of type openai or bedrock; none = character n-grams, computed here. */
        embedder: z.string().min(1).optional(),
        embedding_model: z.string().min(1).optional(),
      })
      .prefault({}),
  })
  .prefault({});
