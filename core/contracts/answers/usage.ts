/** Usage, chat calls and analytics in responses. */
import * as z from 'zod';
import { count, counts, microusd, milliseconds, share, time, tokens, usd } from './parts.ts';

const latency = milliseconds.nullable().meta({ description: 'Milliseconds; null if no call was answered.' });

/** Chat calls and decisions on actions in a period, and what came of them. */
export const bucketSchema = z.strictObject({
  timestamp: time.meta({ description: 'ISO 8601 time at which the bucket begins.' }),
  requests: count,
  /** Calls that failed in the gateway or at a provider, and actions whose execution failed or has no known outcome. */
  errors: count,
  error_rate: share,
  /** Latency of calls that succeeded or failed, and of executed actions. */
  p50_latency_ms: latency,
  p95_latency_ms: latency,
  p99_latency_ms: latency,
  tokens: count.meta({ description: 'Input and output tokens together.' }),
  cost_usd: usd,
  blocked: count,
  reviewed: count,
  evaluations: count.optional().meta({ description: 'Calls for which the evaluator responded.' }),
  score: z.number().optional().meta({ description: "Mean of the evaluator's scores." }),
});

export const modelUsageSchema = z.strictObject({
  model: z.string(),
  requests: count,
  input_tokens: count,
  output_tokens: count,
  cost_usd: usd,
  errors: count,
});

/** Counts of a period. */
export const usageCounts = {
  /** Decisions on tool actions. */
  total: count,
  decisions: counts,
  protocols: counts,
  tools: counts,
  decisions_by_protocol: z.array(z.strictObject({ decision: z.string(), protocol: z.string(), count })),
  blocked_by_rule: counts,
  decided_by_rule: counts.meta({
    description:
      'Decisions by their source: the SHA-256 of a rule without name, reason and suggested_alternative (RFC 8785), guard:<name> or default.',
  }),
  /** Chat calls, regardless of outcome. */
  requests: count,
  tokens,
  cost_microusd: microusd,
  cost_usd: usd,
  outcomes: counts,
  /** Usage by resolved model, most expensive first. */
  models: z.array(modelUsageSchema),
};
export const usageSchema = z.strictObject(usageCounts);

export const requestRowSchema = z.strictObject({
  at: time,
  envelope_id: z.string(),
  request_id: z.string(),
  request_sha256: z
    .string()
    .optional()
    .meta({ description: 'Digest of the request: calls with the same digest sent the same request.' }),
  session_id: z.string(),
  key_id: z.string(),
  operation: z.string(),
  model: z.string(),
  reason: z.string().optional().meta({ description: 'Why a call was refused before its model was looked up.' }),
  resolved_model: z.string(),
  provider: z.string().optional(),
  demo: z.literal(true).optional().meta({
    description: 'The built-in mock answered for a model of another name.',
  }),
  stream: z.boolean(),
  status: z.int(),
  outcome: z.string(),
  decision: z.string(),
  tokens,
  cost_microusd: microusd,
  cost_usd: usd,
  latency_ms: milliseconds,
  first_token_ms: milliseconds.optional(),
  evaluation: z
    .strictObject({
      score: z.number().optional(),
      labels: z.array(z.string()).optional(),
      feedback: z.string().optional(),
    })
    .optional()
    .meta({ description: 'Response of the evaluator.' }),
  cache: z.string().optional(),
  matched_rule: z.string().optional(),
  error: z.string().optional(),
});
