/**
 * `POST /admin/v1/graphql`: the REST operations as one graph. Its documentation page is
 * docs/how-to/query-with-graphql.md.
 */

import * as z from 'zod';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';
import { requestSchema } from './request.ts';

export const feature = {
  operations: {
    graphql: operation({
      route: 'POST /admin/v1/graphql',
      function: 'observatory',
      role: 'viewer',
      agents: 'yes', // each field is allowed or refused like its own route
      summary: 'Queries and mutations over the same operations',
      input: () => requestSchema,
      example: { query: '{ whoami { tenant role } providers { nodes { name health } } }' },
      output: () =>
        z.strictObject({
          data: z.record(z.string(), z.unknown()).nullable(),
          errors: z.array(z.looseObject({ message: z.string() })).optional(),
        }),
      // Needed because mutations move rollouts.
      rights: { startsRollouts: true, tables: { rollouts: 'append' }, queries: ['rollouts'] },
      runs: [
        'audit',
        'listPolicies',
        'listRollouts',
        'createRollout',
        'pauseRollout',
        'resumeRollout',
        'rollbackRollout',
      ],
      run: async () => (await import('#features/graphql/graphql.ts')).graphql,
    }),
  },
  reference: async (fields) => ({ 'schema.graphql': (await import('./schema.ts')).sdl(fields) }),
} satisfies Feature;
