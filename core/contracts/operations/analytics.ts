/** Analytics by dimension: response of the query. */
import * as z from 'zod';
import { count, milliseconds, type OperationContract, share, time, usd } from './operation.ts';

const latency = milliseconds.nullable().meta({ description: 'Milliseconds; null where no call was answered.' });

const bucket = z.strictObject({
  timestamp: time.meta({ description: 'ISO 8601 time at which the bucket begins.' }),
  requests: count,
  errors: count,
  error_rate: share,
  p50_latency_ms: latency,
  p95_latency_ms: latency,
  p99_latency_ms: latency,
  tokens: count.meta({ description: 'Input and output tokens together.' }),
  cost_usd: usd,
  blocked: count,
  reviewed: count,
  evaluations: count.optional().meta({ description: 'Calls that the evaluator answered for.' }),
  score: z.number().optional().meta({ description: "Mean of the evaluator's scores." }),
});

const answer = z.strictObject({
  from: time,
  to: time,
  path: z.string().optional().meta({ description: 'As asked for: global is then the traffic below it.' }),
  step: z.enum(['1m', '5m', '1h']),
  dimensions: z.array(z.string()).meta({
    description: 'global, tenant:<id>, model:<name>, provider:<name>, tool:<name>, plane:<name>: the keys of summary.',
  }),
  summary: z
    .record(z.string(), z.array(bucket))
    .meta({ description: 'Buckets by dimension, oldest first; a step without traffic has none.' }),
});

export const analytics = {
  analytics: { output: answer },
  realtimeAnalytics: { output: answer },
} satisfies Record<string, OperationContract>;
