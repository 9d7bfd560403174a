/** Parts of the status of a deployment in responses. */

import * as z from 'zod';
import { count, milliseconds, share, time, usd } from './parts.ts';

export const breaker = z.enum(['closed', 'open', 'half-open']);
export const providerHealth = z.enum(['healthy', 'degraded', 'unhealthy', 'unknown', 'disabled']);
export const providerType = z.enum(['mock', 'openai', 'anthropic', 'ollama', 'bedrock']);
export const budgetSchema = z.strictObject({
  account: z.string().meta({
    description: 'tenant, global or key:<key id>, followed by :<model glob> if it applies only to some models.',
  }),
  scope: z.enum(['tenant', 'global', 'model', 'key']),
  scope_id: z.string().meta({
    description:
      'The tenant, the pattern of the model, the id of the key (for some models only: followed by : and their pattern), or * for all tenants.',
  }),
  key_name: z.string().optional().meta({ description: 'Name of the key, for a budget of scope key.' }),
  period: z.enum(['day', 'month']),
  limit_usd: usd,
  spent_usd: usd,
  reserved_usd: usd.meta({ description: 'US dollars reserved by running calls.' }),
  percentage: z.number().nonnegative().meta({ description: 'Percentage of the limit that is spent or reserved.' }),
  tier: z.enum(['ok', 'alert', 'warning', 'blocked']),
  resets_at: time,
});
/** Remaining amounts, as in the `x-ratelimit-*` headers. */
export const rateLimitSchema = z.strictObject({
  limit_requests: count.optional(),
  remaining_requests: count.optional(),
  reset_requests: z.number().optional().meta({ description: 'Seconds until the window is empty.' }),
  limit_tokens: count.optional(),
  remaining_tokens: count.optional(),
  reset_tokens: z.number().optional().meta({ description: 'Seconds until the window is empty.' }),
});

export const failingDeliverySchema = z.strictObject({
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
  /** Id of the approval or alert. */
  envelope_id: z.string(),
  state: z.enum(['retrying', 'dead']),
  attempts: count,
  /** Webhook addresses contain secrets. */
  error: z.string().meta({ description: 'Error of the last attempt, without addresses.' }),
  /** When it will be, or would have been, retried. */
  due_at: time,
});

export const dependencySchema = z.strictObject({
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
  needed: z.boolean().meta({ description: 'Whether decisions depend on it.' }),
  state: z.enum(['up', 'degraded', 'down', 'unknown']),
  latency_ms: milliseconds.optional().meta({
    description:
      'For a store: latency of the check just made. For a provider, MCP server or HTTP service: 95th percentile of the last 15 minutes.',
  }),
  reason: z.string().optional(),
  since: time.meta({ description: 'Time since which this process has seen it in this state.' }),
});

export const providerSchema = z.strictObject({
  name: z.string(),
  type: providerType,
  enabled: z.boolean(),
  models: z.array(z.string()),
  region: z.string().optional(),
  base_url: z.string().optional(),
  has_key: z.boolean().meta({ description: 'Whether its entry names a key.' }),
  key_set: z.boolean().optional().meta({
    description:
      'Whether the key has a value. Absent if there is no key, or if this process cannot read keys of providers.',
  }),
  reason: z.string().optional().meta({ description: 'Why it is unhealthy, if that is known.' }),
  health: providerHealth,
  /** Absent if this process neither calls providers nor reads the shared circuit breaker state. */
  breaker: breaker.optional(),
  requests: count,
  errors: count,
  error_rate: share,
  p95_latency_ms: milliseconds.optional(),
});
