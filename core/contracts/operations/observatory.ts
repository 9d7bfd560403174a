/** Health, usage, requests, providers, budgets, violations, and the work on projections. */
import * as z from 'zod';
import { capabilities } from '../envelope.ts';
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

export const health = {
  output: z.strictObject({ status: z.literal('ok'), version: z.string() }),
} satisfies OperationContract;

const breaker = z.enum(['closed', 'open', 'half-open']);
const providerHealth = z.enum(['healthy', 'degraded', 'unhealthy', 'unknown', 'disabled']);
const providerType = z.enum(['mock', 'openai', 'anthropic', 'ollama', 'bedrock']);

const budget = z.strictObject({
  account: z.string().meta({
    description: 'tenant, global or key:<key id>, with :<model glob> after it where it is of some models only.',
  }),
  scope: z.enum(['tenant', 'global', 'model', 'key']),
  scope_id: z.string().meta({
    description:
      'The tenant, the pattern of the model, the id of the key (of some models: with : and their pattern), or * for all tenants.',
  }),
  key_name: z.string().optional().meta({ description: 'Name of the key, of a budget of scope key.' }),
  period: z.enum(['day', 'month']),
  limit_usd: usd,
  spent_usd: usd,
  reserved_usd: usd.meta({ description: 'US dollars that running calls hold.' }),
  percentage: z.number().nonnegative().meta({ description: 'Of the limit, spent and reserved together.' }),
  tier: z.enum(['ok', 'alert', 'warning', 'blocked']),
  resets_at: time,
});
const rateLimit = z.strictObject({
  limit_requests: count.optional(),
  remaining_requests: count.optional(),
  reset_requests: z.number().optional().meta({ description: 'Seconds until the window is empty.' }),
  limit_tokens: count.optional(),
  remaining_tokens: count.optional(),
  reset_tokens: z.number().optional().meta({ description: 'Seconds until the window is empty.' }),
});
const violation = z.looseObject({
  at: time,
  envelope_id: z.string(),
  session_id: z.string(),
  policy: z.string().optional(),
  matched_rule: z.string().optional(),
  protocol: z.string().optional(),
  tool: z.string().optional(),
  target: z.string().optional(),
  capability: z.enum(capabilities).optional(),
  key_id: z.string(),
  agent: z.string().optional(),
  reason: z.string().optional(),
});

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
  status: {
    output: z.strictObject({
      status: z.enum(['ok', 'degraded', 'unavailable']).meta({
        description: 'degraded: something is down that no decision needs. unavailable: a store is down.',
      }),
      dependencies: z.array(
        z.strictObject({
          kind: z.enum([
            'store',
            'object_store',
            'provider',
            'mcp_server',
            'http_service',
            'channel',
            'control_plane',
            'projection',
            'configuration',
          ]),
          name: z.string(),
          needed: z.boolean().meta({ description: 'Nothing is decided without it.' }),
          state: z.enum(['up', 'degraded', 'down', 'unknown']),
          latency_ms: milliseconds.optional().meta({
            description:
              'Of a store: of the question just asked. Of a provider, MCP server or HTTP service: 95th percentile of the last 15 minutes.',
          }),
          reason: z.string().optional(),
          since: time.meta({ description: 'Since when this process has seen it in this state.' }),
        }),
      ),
      version: z.string(),
      tenant: z.string(),
      policy: z.string(),
      policy_version: count,
      warnings: z.array(z.string()),
      federation: z
        .strictObject({
          plane: z.string(),
          control_plane_version: count.meta({ description: '0 before the first document.' }),
          confirmed_at: time.optional().meta({ description: 'When the control plane last confirmed it.' }),
          expires_at: time.optional(),
          stale: z.string().optional().meta({ description: 'Why the configuration no longer counts.' }),
          refused: z.string().optional().meta({ description: 'Why the newest document was refused.' }),
          refused_at: time.optional(),
        })
        .optional()
        .meta({ description: 'On a data plane: what it has of its control plane.' }),
      providers: z.array(
        z.strictObject({
          name: z.string(),
          type: providerType,
          enabled: z.boolean(),
          health: providerHealth,
          breaker: breaker.optional(),
          error_rate: share,
          reason: z.string().optional().meta({ description: 'Why it is unhealthy, where that is known.' }),
        }),
      ),
      pending_approvals: count,
      pending_approvals_more: z.literal(true).optional(),
      oldest_pending_seconds: count,
      evidence_sessions: count,
      evidence_sessions_more: z.literal(true).optional(),
      deliveries: z.strictObject({
        due: count,
        failing: z
          .array(
            z.strictObject({
              channel: z.string(),
              event: z.enum([
                'submitted',
                'approved',
                'denied',
                'digest',
                'alert',
                'evaluation',
                'policy_violation',
                'policy_warning',
              ]),
              envelope_id: z.string(),
              state: z.enum(['retrying', 'dead']),
              attempts: count,
              error: z.string().meta({ description: 'Of the last attempt, without addresses.' }),
              due_at: time,
            }),
          )
          .meta({
            description: 'Notifications that did not reach their channel; those given up stand here for 30 days.',
          }),
      }),
      budgets: z.array(budget),
      rate_limit: rateLimit,
      recent_violations: z.array(violation),
    }),
  },
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
