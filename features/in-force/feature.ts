/** Comparison of the active state in the store with evidence. Explained in docs/explanation/threat-model.md. */
import * as z from 'zod';
import { count, counts } from '#core/contracts/answers/parts.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';
import { comparedKinds } from './kinds.ts';

export const feature = {
  operations: {
    compareInForce: operation({
      route: 'GET /admin/v1/audit/in-force',
      function: 'evidence',
      role: 'admin',
      platform: true,
      summary: 'Compare the configuration, keys, budgets and risk in force with evidence',
      output: () =>
        z.strictObject({
          agrees: z.boolean(),
          policy_version: count,
          compared: counts,
          differences: z.array(
            z.strictObject({
              of: z.enum(comparedKinds),
              what: z.string().meta({
                description: 'Which version, key, account, session, definition, sheet, ticket or credential.',
              }),
              in_force: z.string(),
              evidence: z.string(),
            }),
          ),
          not_checked: z.array(z.string()),
        }),
      rights: {
        tables: { counters: 'get', credentials: 'get', manifests: 'get', mcp: 'get' },
        queries: ['credentials', 'manifests.by_created'],
      },
      run: async () => (await import('#features/in-force/in-force.ts')).compareInForce,
    }),
  },
  checks: () => import('./checks.ts'),
} satisfies Feature;
