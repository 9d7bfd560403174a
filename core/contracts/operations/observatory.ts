/** Health, usage, requests, providers, budgets, violations and projection jobs. */
import * as z from 'zod';
import { keyKinds, roles } from '../route.ts';
import {
  count,
  counts,
  cursor,
  microusd,
  milliseconds,
  type OperationContract,
  share,
  subject,
  time,
  tokens,
  usd,
} from './operation.ts';
import { breaker, budget, providerHealth, providerType, rateLimit, status, violation } from './status.ts';

export const health = {
  output: z.strictObject({ status: z.literal('ok'), version: z.string() }),
} satisfies OperationContract;

export const observatory = {
  metrics: { output: { text: 'text/plain' } },
  whoami: {
    output: z.strictObject({
      tenant: z.string(),
      role: z.enum(roles),
      kind: z.enum(keyKinds),
      key_id: z.string(),
      name: z.string().optional(),
      person: z.string().optional(),
      owner: z.string().optional(),
      platform: z.boolean(),
      path: z
        .string()
        .optional()
        .meta({ description: '<organisation>/<team>/<project>/<environment> of the tenant, where it stands in one.' }),
      teams: z.array(z.string()).optional().meta({ description: 'Teams of the person, as <organisation>/<team>.' }),
    }),
  },
  status,
  usage: {
    output: z.strictObject({
      ...subject,
      from: time.optional(),
      to: time.optional(),
      total: count,
      decisions: counts,
      protocols: counts,
      tools: counts,
      decisions_by_protocol: z.array(z.strictObject({ decision: z.string(), protocol: z.string(), count })),
      blocked_by_rule: counts,
      requests: count,
      tokens,
      cost_microusd: microusd,
      cost_usd: usd,
      outcomes: counts,
      models: z.array(
        z.strictObject({
          model: z.string(),
          requests: count,
          input_tokens: count,
          output_tokens: count,
          cost_usd: usd,
          errors: count,
        }),
      ),
    }),
  },
  listRequests: {
    output: z.strictObject({
      requests: z.array(
        z.strictObject({
          at: time,
          envelope_id: z.string(),
          request_id: z.string(),
          request_sha256: z
            .string()
            .optional()
            .meta({ description: 'Digest of the request: calls that share it sent the same.' }),
          session_id: z.string(),
          key_id: z.string(),
          operation: z.string(),
          model: z.string(),
          reason: z
            .string()
            .optional()
            .meta({ description: 'Why a call was refused before its model was looked for.' }),
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
            .meta({ description: 'What the evaluator answered.' }),
          cache: z.string().optional(),
          matched_rule: z.string().optional(),
          error: z.string().optional(),
        }),
      ),
      cursor,
    }),
  },
  cacheStatistics: {
    output: z.strictObject({
      enabled: z.boolean(),
      semantic: z.boolean(),
      ttl_seconds: count,
      max_entries: count,
      hits: count,
      semantic_hits: count,
      misses: count,
      hit_rate: share,
      evictions: count,
      entries: count.nullable().meta({ description: 'Entries in this process; null where it holds no cache.' }),
    }),
  },
  listProviders: {
    output: z.strictObject({
      window_minutes: count,
      providers: z.array(
        z.strictObject({
          name: z.string(),
          type: providerType,
          enabled: z.boolean(),
          models: z.array(z.string()),
          region: z.string().optional(),
          base_url: z.string().optional(),
          has_key: z.boolean().meta({ description: 'Whether its entry names a key.' }),
          key_set: z.boolean().optional().meta({
            description:
              'Whether the key has a value. Absent without a key, and where this process cannot read keys of providers.',
          }),
          reason: z.string().optional().meta({ description: 'Why it is unhealthy, where that is known.' }),
          health: providerHealth,
          breaker: breaker.optional(),
          requests: count,
          errors: count,
          error_rate: share,
          p95_latency_ms: milliseconds.optional(),
        }),
      ),
    }),
  },
  listBudgets: {
    output: z.strictObject({
      ...subject,
      statuses: z.array(
        budget.extend({
          tenant: z.string().optional().meta({ description: 'With path: whose budget it is; absent for all tenants.' }),
        }),
      ),
      rate_limit: rateLimit.optional().meta({ description: 'Of the tenant; absent where path was asked for.' }),
      open_reservations: count,
    }),
  },
  violations: {
    output: z.strictObject({
      violations: z.array(violation),
      by_policy: counts.meta({ description: 'Blocked actions by policy, chat calls by content filter.' }),
      by_rule: counts.meta({ description: 'Blocked actions by the rule that blocked them.' }),
      by_tenant: counts,
      by_action: counts,
      cursor,
    }),
  },
  rebuildProjections: {
    output: z.strictObject({ tenant: z.string(), since: time, entries: count, sessions: count, cursor }),
  },
} satisfies Record<string, OperationContract>;
