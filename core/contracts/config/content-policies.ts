/** Policies that apply content filters to chat calls, and their error handling. */
import * as z from 'zod';
import { contentFilter } from './content-filters.ts';

export const contentPolicies = z
  .strictObject({
    governance_mode: z.enum(['governance', 'permissive']).default('governance').meta({
      description:
        'What happens when a filter fails: governance blocks the call, permissive logs the failure and lets the call pass.',
    }),
    break_glass: z
      .boolean()
      .default(false)
      .meta({ description: 'Treats every tenant as permissive. Each call is marked in evidence while it is on.' }),
    input: z
      .array(contentFilter)
      .default([])
      .meta({ description: 'Filters on requests, in this order. A block ends the call with 403.' }),
    output: z
      .array(contentFilter)
      .default([])
      .meta({ description: 'Filters on responses and streams, in this order.' }),
  })
  .prefault({});
