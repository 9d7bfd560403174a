/** Providers and the response cache. */
import * as z from 'zod';
import { operation } from '../endpoint.ts';
import { count, milliseconds, share } from './schemas.ts';
import { breaker, providerHealth, providerType } from './status.ts';

export const providers = {
  cacheStatistics: operation({
    route: 'GET /admin/v1/cache',
    function: 'observatory',
    role: 'viewer',
    summary: 'Hits, misses, hit rate, evictions',
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
    output: () =>
      z.strictObject({
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
    run: async () => (await import('#core/operations/chat-views.ts')).listProviders,
  }),
};
