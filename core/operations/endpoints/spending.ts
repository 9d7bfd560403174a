/** Budgets and remaining rate limits. */

import * as z from 'zod';
import { count, subject } from '#core/contracts/answers/parts.ts';
import { budgetSchema, rateLimitSchema } from '#core/contracts/answers/status.ts';
import { optionOf } from '../command.ts';
import { operation } from '../endpoint.ts';

export const budgets = {
  listBudgets: operation({
    route: 'GET /admin/v1/budgets',
    function: 'observatory',
    role: 'viewer',
    query: ['path'],
    summary: 'Spent and reserved amounts of budgets and rate limits',
    graph: {
      field: 'budgets(path: String): BudgetConnection',
      types: `type BudgetConnection { nodes: [Budget!]!  pageInfo: PageInfo! }
type Budget { tenant: String  scope: String!  scopeId: String!  keyName: String  period: String!  limitUsd: Float!  spentUsd: Float!  reservedUsd: Float!  percentage: Float!  tier: String! }`,
      member: 'statuses',
    },
    command: {
      words: 'budgets',
      summary: 'Show the spent and reserved amounts of budgets and rate limits',
      examples: ['budgets', "budgets --json | jq '.statuses[] | [.account, .percentage]'"],
      options: { path: optionOf.path },
    },
    output: () =>
      z.strictObject({
        ...subject,
        statuses: z.array(
          budgetSchema.extend({
            tenant: z
              .string()
              .optional()
              .meta({ description: 'With path: the tenant whose budget it is; absent for all tenants.' }),
          }),
        ),
        rate_limit: rateLimitSchema
          .optional()
          .meta({ description: 'Rate limit of the tenant; absent if path was requested.' }),
        open_reservations: count,
      }),
    run: async () => (await import('#core/operations/budgets.ts')).listBudgets,
  }),
};
