/** Model providers and the routes from models to providers. */
import * as z from 'zod';
import { address, glob, milliseconds, seconds, secretName, word } from './words.ts';

/** Replies of a mock provider. The first entry whose `contains` occurs in the last user message applies. */
export const mockScript = z.strictObject({
  replies: z
    .array(
      z.strictObject({
        contains: z
          .string()
          .default('')
          .meta({ description: 'Text that the last user message contains; empty matches every message.' }),
        text: z.string().optional().meta({ description: 'Text of the reply.' }),
        tool_calls: z
          .array(
            z.strictObject({
              name: z.string().min(1).meta({ description: 'Name of the tool.' }),
              arguments: z.json().meta({ description: 'Arguments of the call.' }),
            }),
          )
          .optional()
          .meta({ description: 'Tool calls of the reply.' }),
        status: z.int().min(400).max(599).optional().meta({ description: 'HTTP status of a failure.' }),
        break_after: z
          .int()
          .nonnegative()
          .optional()
          .meta({ description: 'Number of chunks after which the stream breaks off.' }),
        latency_ms: milliseconds.nonnegative().optional().meta({ description: 'Milliseconds before the reply.' }),
      }),
    )
    .default([])
    .meta({
      description: 'Replies in order. The first entry whose text is contained in the last user message is used.',
    }),
  tokens_per_second: z
    .number()
    .positive()
    .max(1_000_000)
    .optional()
    .meta({ description: 'Pace of streams in tokens per second. If absent, chunks follow each other without delay.' }),
});

export const provider = z.strictObject({
  name: word.meta({ description: 'Name that routes and rollouts refer to.' }),
  type: z.enum(['mock', 'openai', 'anthropic', 'ollama', 'bedrock']).meta({ description: 'Kind of the provider.' }),
  enabled: z.boolean().default(true).meta({ description: 'Whether calls may be sent to it.' }),
  base_url: address.optional().meta({ description: "Address of the provider. If absent, the vendor's address." }),
  api_key_env: secretName
    .optional()
    .meta({ description: 'Environment variable (or secret) with the key of the provider.' }),
  keeps_responses: z.boolean().default(false).meta({
    description:
      'Whether a provider of type openai has /v1/responses and keeps responses for its account, so that callers may read and continue theirs.',
  }),
  models: z.array(glob).default([]).meta({ description: 'Globs of the models it serves.' }),
  passes: z.array(word).default([]).meta({
    description:
      'Members of requests that let the provider use another model or tools, such as models, route, fallbacks, plugins or web_search_options. They are refused unless listed here.',
  }),
  timeout_ms: milliseconds
    .positive()
    .default(60_000)
    .meta({ description: 'Milliseconds until a call to the provider is given up.' }),
  latency_ms: milliseconds
    .nonnegative()
    .optional()
    .meta({ description: 'Milliseconds before a mock provider replies.' }),
  region: z.string().optional().meta({ description: 'Region of the provider: for bedrock the AWS region.' }),
  retry: z
    .strictObject({
      max_attempts: z
        .int()
        .min(1)
        .max(10)
        .default(2)
        .meta({ description: 'Attempts for one call, including the first.' }),
    })
    .optional()
    .meta({ description: 'Repeated attempts at this provider.' }),
  breaker: z
    .strictObject({
      min_requests: z
        .int()
        .positive()
        .default(10)
        .meta({ description: 'Requests in the window below which the breaker does not open.' }),
      error_rate: z
        .number()
        .gt(0)
        .max(1)
        .default(0.5)
        .meta({ description: 'Share of failed requests (0 to 1) at which the breaker opens.' }),
      window_seconds: seconds.default(30).meta({ description: 'Seconds over which requests are counted.' }),
      open_seconds: seconds
        .default(15)
        .meta({ description: 'Seconds the breaker stays open before one request is tried.' }),
    })
    .prefault({})
    .meta({ description: 'Circuit breaker of the provider.' }),
  script: mockScript.optional().meta({ description: 'Replies of a mock provider.' }),
});

export const modelRoute = z.strictObject({
  match: z
    .strictObject({ model: glob.meta({ description: 'Glob of the model name.' }) })
    .meta({ description: 'Which calls the route is for.' }),
  providers: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({ description: 'Names of providers in order of preference.' }),
  regions: z
    .array(
      z.strictObject({
        name: z.string().min(1).meta({ description: 'Name of the region.' }),
        providers: z.array(z.string().min(1)).min(1).meta({ description: 'Names of providers of the region.' }),
      }),
    )
    .min(1)
    .optional()
    .meta({
      description:
        'Groups of providers in order of preference; the next region is used when all providers of one have failed.',
    }),
  strategy: z
    .enum(['priority', 'round-robin'])
    .default('priority')
    .meta({ description: 'priority uses the first provider that works; round-robin takes turns.' }),
});
