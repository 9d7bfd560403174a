/** Responses of the list of traces and of a single trace. */
import * as z from 'zod';
import { count, milliseconds, type OperationContract, time } from './operation.ts';

const status = z.enum(['ok', 'error']);

export const traces = {
  listTraces: {
    output: z.strictObject({
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
  },
  getTrace: {
    output: z.strictObject({
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
  },
} satisfies Record<string, OperationContract>;
