/** Traces and their spans: lists the recent ones, shows one. It is explained in docs/explanation/telemetry.md. */
import * as z from 'zod';
import { paging } from '#core/contracts/route.ts';
import { operation } from '#core/operations/endpoint.ts';
import { count, milliseconds, time } from '#core/operations/endpoints/schemas.ts';
import type { Feature } from '../feature.ts';

const status = z.enum(['ok', 'error']);

export const feature = {
  operations: {
    listTraces: operation({
      route: 'GET /admin/v1/traces',
      function: 'observatory',
      role: 'operator',
      query: ['session', 'model', 'tool', 'decision', 'status', 'min_ms', 'from', 'to', ...paging],
      summary: 'The last traces, newest first',
      output: () =>
        z.strictObject({
          traces: z.array(
            z.strictObject({
              trace_id: z.string(),
              root: z.string(),
              started_at: time,
              duration_ms: milliseconds,
              status,
              tenant: z.string().optional(),
              session_id: z.string().optional(),
              model: z.string().optional(),
              tool: z.string().optional(),
              decision: z.string().optional(),
              spans: count.meta({ description: 'How many spans it has.' }),
            }),
          ),
          next: z.string().optional().meta({ description: 'The cursor of the next page; absent on the last one.' }),
        }),
      run: async () => (await import('#features/traces/traces.ts')).listTraces,
    }),
    getTrace: operation({
      route: 'GET /admin/v1/traces/{id}',
      function: 'observatory',
      role: 'operator',
      summary: 'One trace with its spans',
      output: () =>
        z.strictObject({
          trace_id: z.string(),
          xray_url: z.string().optional().meta({ description: 'The trace in the console of X-Ray, on AWS.' }),
          spans: z.array(
            z.strictObject({
              span_id: z.string(),
              parent_id: z.string().nullable(),
              name: z.string(),
              started_at: time,
              duration_ms: milliseconds,
              status,
              attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
            }),
          ),
        }),
      run: async () => (await import('#features/traces/traces.ts')).getTrace,
    }),
  },
  commands: () => import('./commands.ts'),
} satisfies Feature;
