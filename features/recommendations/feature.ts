/** Models that could cost less, and budget forecasts. Its page is docs/how-to/set-limits-and-budgets.md. */
import * as z from 'zod';
import { count, subject, usd } from '#core/contracts/answers/parts.ts';
import { optionOf } from '#core/operations/command.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

export const feature = {
  operations: {
    costRecommendations: operation({
      route: 'GET /admin/v1/cost-recommendations',
      function: 'observatory',
      role: 'viewer',
      query: ['from', 'to', 'path'],
      summary:
        'Cheaper models of the same providers, requests that a cache could answer and repeated requests, with the underlying numbers',
      command: {
        words: 'cost-recommendations',
        summary: 'Recommend cheaper models of the same providers, and a cache for requests that repeat',
        examples: ['cost-recommendations', 'cost-recommendations --path acme/web --json | jq .recommendations'],
        options: { from: '<time> first hour (ISO 8601)', to: '<time> last hour', path: optionOf.path },
      },
      graph: {
        field: 'costRecommendations(from: Time, to: Time, path: String): CostRecommendationConnection',
        types: `type CostRecommendationConnection { nodes: [CostRecommendation!]!  pageInfo: PageInfo! }
type CostRecommendation { tenant: String  kind: String!  message: String!  savingUsd: Float!  figures: Parameters! }`,
        member: 'recommendations',
      },
      output: () =>
        z.strictObject({
          ...subject,
          recommendations: z.array(
            z.strictObject({
              kind: z.enum(['cheaper_model', 'cache_potential', 'repeated_request']),
              message: z.string(),
              saving_usd: usd,
              figures: z.record(z.string(), z.union([z.string(), z.number()])),
              tenant: z.string().optional().meta({
                description: 'With path: tenant whose requests repeat; absent for models, whose numbers are added up.',
              }),
            }),
          ),
        }),
      run: async () => (await import('#features/recommendations/cost-recommendations.ts')).costRecommendations,
    }),
    budgetsForecast: operation({
      route: 'GET /admin/v1/budgets/forecast',
      function: 'observatory',
      role: 'viewer',
      query: ['path'],
      summary: 'Forecast of each budget at the end of its period',
      command: {
        words: 'forecast',
        summary: 'Forecast the spend of each budget at the end of its period',
        examples: ['forecast', 'forecast --path acme', "forecast --json | jq '.forecasts[] | select(.will_exceed)'"],
        options: { path: optionOf.path },
      },
      output: () =>
        z.strictObject({
          ...subject,
          forecasts: z.array(
            z.strictObject({
              account: z.string(),
              scope: z.enum(['tenant', 'global', 'model', 'key']),
              scope_id: z.string(),
              key_name: z.string().optional(),
              period: z.enum(['day', 'month']),
              limit_usd: usd,
              spent_usd: usd,
              days_observed: count.meta({
                description: 'Days of spend that the forecast is based on; with fewer than three there is no forecast.',
              }),
              projected_usd: usd.nullable(),
              low_usd: usd.nullable().meta({ description: 'Lower end of the 80 % interval.' }),
              high_usd: usd.nullable().meta({ description: 'Upper end of the 80 % interval.' }),
              will_exceed: z.boolean().nullable(),
              exhausted_at: z
                .string()
                .nullable()
                .meta({ description: 'The day on which the limit is expected to be reached.' }),
              tenant: z
                .string()
                .optional()
                .meta({ description: 'With path: tenant of the budget; absent if all tenants share the budget.' }),
            }),
          ),
        }),
      run: async () => (await import('#features/recommendations/budgets-forecast.ts')).budgetsForecast,
    }),
  },
  commands: () => import('./commands.ts'),
} satisfies Feature;
