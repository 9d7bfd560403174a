/** Providers and the response cache. */

import * as z from 'zod';
import { count, share } from '#core/contracts/answers/parts.ts';
import { providerSchema } from '#core/contracts/answers/status.ts';
import { count as countOf } from '#core/kernel/json-fields.ts';
import { milliseconds as ms, percent } from '../command.ts';
import { operation } from '../endpoint.ts';

export const providers = {
  cacheStatistics: operation({
    route: 'GET /admin/v1/cache',
    function: 'observatory',
    role: 'viewer',
    summary: 'Hits, misses, hit rate, evictions',
    graph: {
      field: 'cache: CacheStatistics',
      types: `type CacheStatistics {
  enabled: Boolean!
  semantic: Boolean!
  ttlSeconds: Int!
  maxEntries: Int!
  hits: Int!
  semanticHits: Int!
  misses: Int!
  hitRate: Float!
  evictions: Int!
  entries: Int
}`,
    },
    command: {
      words: 'cache',
      summary: 'Show hits, misses, hit rate and evictions of the response cache',
      examples: ['cache', 'cache --json | jq .hit_rate'],
    },
    output: () =>
      z.strictObject({
        enabled: z.boolean(),
        semantic: z.boolean(),
        ttl_seconds: count,
        max_entries: count,
        hits: count,
        semantic_hits: count,
        misses: count,
        hit_rate: share,
        evictions: count,
        entries: count.nullable().meta({ description: 'Entries in this process; null if it has no cache.' }),
      }),
    run: async () => (await import('#core/operations/chat-views.ts')).cacheStatistics,
  }),
  listProviders: operation({
    route: 'GET /admin/v1/providers',
    function: 'observatory',
    role: 'viewer',
    summary: 'Providers, their health and breakers',
    graph: {
      field: 'providers: ProviderConnection',
      types: `type ProviderConnection { nodes: [Provider!]!  pageInfo: PageInfo! }
type Provider {
  name: String!
  type: String!
  enabled: Boolean!
  models: [String!]!
  region: String
  baseUrl: String
  hasKey: Boolean!
  keySet: Boolean
  health: String!
  reason: String
  breaker: String
  requests: Int!
  errors: Int!
  errorRate: Float!
  p95LatencyMs: Float
}`,
      member: 'providers',
    },
    command: {
      words: 'providers',
      summary: 'List providers with their health in the last 15 minutes and their circuit breakers',
      examples: ['providers', 'providers --json | jq -r \'.providers[] | select(.health != "healthy") | .name\''],
      table: {
        of: 'providers',
        none: 'no provider is configured',
        columns: {
          name: 'name',
          type: 'type',
          health: 'health',
          breaker: 'breaker',
          requests: ({ requests }) => countOf(requests),
          errors: ({ error_rate }) => percent(countOf(error_rate) * 100),
          p95: ({ p95_latency_ms }) => (p95_latency_ms === undefined ? '' : ms(p95_latency_ms)),
          key: ({ key_set, has_key }) => (key_set === false ? 'not set' : has_key === true ? 'yes' : 'no'),
          models: ({ models }) => (Array.isArray(models) ? models.join(' ') : ''),
        },
      },
    },
    output: () =>
      z.strictObject({
        window_minutes: count,
        providers: z.array(providerSchema),
      }),
    run: async () => (await import('#core/operations/chat-views.ts')).listProviders,
  }),
};
