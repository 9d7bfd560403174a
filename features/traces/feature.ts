/** Traces and their spans: lists recent traces, and shows one. Explained in docs/explanation/telemetry.md. */
import * as z from 'zod';
import { count, milliseconds, time } from '#core/contracts/answers/parts.ts';
import { paging } from '#core/contracts/route.ts';
import { optionOf } from '#core/operations/command.ts';
import { operation } from '#core/operations/endpoint.ts';
import type { Feature } from '../feature.ts';

const status = z.enum(['ok', 'error']);

export const feature = {
  operations: {
    listTraces: operation({
      route: 'GET /admin/v1/traces',
      function: 'observatory',
      rights: { queries: ['traces'] },
      role: 'operator',
      query: ['session', 'model', 'tool', 'decision', 'status', 'min_ms', 'from', 'to', ...paging],
      summary: 'The last traces, newest first',
      command: {
        words: 'traces list',
        isDefault: true,
        summary: 'List the last traces, newest first',
        examples: ['traces', 'traces list --session demo', 'traces list --min-ms 500 --json'],
        options: {
          session: '<id> of this session',
          model: '<name> of this model',
          tool: '<name> of this tool',
          decision: '<decision> allow, review or block',
          status: '<status> ok or error',
          min_ms: '<ms> minimum duration in milliseconds',
          from: optionOf.from,
          to: optionOf.to,
        },
        table: {
          of: 'traces',
          none: 'no trace fits',
          columns: {
            trace: 'trace_id',
            started: 'started_at',
            took: ({ duration_ms }) => `${duration_ms} ms`,
            root: 'root',
            status: 'status',
            'model or tool': ({ model, tool }) => model ?? tool,
          },
        },
      },
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
              spans: count.meta({ description: 'Number of spans.' }),
            }),
          ),
          next: z.string().optional().meta({ description: 'The cursor of the next page; absent on the last one.' }),
        }),
      run: async () => (await import('#features/traces/traces.ts')).listTraces,
    }),
    getTrace: operation({
      route: 'GET /admin/v1/traces/{id}',
      function: 'observatory',
      rights: { queries: ['traces'] },
      role: 'operator',
      summary: 'One trace with its spans',
      command: {
        words: 'traces show <id>',
        summary: 'Show the spans of one trace as a tree',
        examples: [
          'traces show 0af7651916cd43dd8448eb211c80319c',
          'traces show 0af7651916cd43dd8448eb211c80319c --json',
        ],
      },
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
