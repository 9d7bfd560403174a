/** Model providers, and which models are answered by which of them (spec §2.8). */
import * as z from 'zod';
import { address, glob, seconds, secretName, word } from './words.ts';

/** What a mock provider answers; the first entry whose `contains` stands in the last user message counts. */
export const mockScript = z.strictObject({
  replies: z
    .array(
      z.strictObject({
        contains: z.string().default(''),
        text: z.string().optional(),
        tool_calls: z.array(z.strictObject({ name: z.string().min(1), arguments: z.json() })).optional(),
        /** HTTP status of a failure. */
        status: z.int().min(400).max(599).optional(),
        /** Ends the stream after that many chunks, without an end. */
        break_after: z.int().nonnegative().optional(),
        latency_ms: z.int().nonnegative().optional(),
      }),
    )
    .default([]),
  /** Pace of streams; without it chunks follow each other at once. */
  tokens_per_second: z.number().positive().optional(),
});

export const provider = z.strictObject({
  name: word,
  type: z.enum(['mock', 'openai', 'anthropic', 'ollama', 'bedrock']),
  enabled: z.boolean().default(true),
  base_url: address.optional(),
  api_key_env: secretName.optional(),
  models: z.array(glob).default([]),
  timeout_ms: z.int().positive().default(60_000),
  latency_ms: z.int().nonnegative().optional(),
  region: z.string().optional(),
  retry: z.strictObject({ max_attempts: z.int().min(1).max(10).default(2) }).optional(),
  /** Trips at `error_rate` of the last `window_seconds`, once there were `min_requests`; tries again after `open_seconds`. */
  breaker: z
    .strictObject({
      min_requests: z.int().positive().default(10),
      error_rate: z.number().gt(0).max(1).default(0.5),
      window_seconds: seconds.default(30),
      open_seconds: seconds.default(15),
    })
    .prefault({}),
  /** Scripted behaviour of a mock provider. */
  script: mockScript.optional(),
});

export const modelRoute = z.strictObject({
  match: z.strictObject({ model: glob }),
  providers: z.array(z.string().min(1)).min(1).optional(),
  regions: z
    .array(z.strictObject({ name: z.string().min(1), providers: z.array(z.string().min(1)).min(1) }))
    .min(1)
    .optional(),
  strategy: z.enum(['priority', 'round-robin']).default('priority'),
});
