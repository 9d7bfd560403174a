/**
 * A deployment's most recent traces, from any process [trace.routes]. Rows: `ring` = one of eight shards and the
 * tenant, `at` = time of the put and a random suffix, `traces` = JSON of a few traces. Access patterns: put once, and
 * read the newest in each of a tenant's shards (newest first), so that one tenant's traces do not displace another's.
 * `expires_at` is compared, and TTL removes rows.
 */
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { TraceRing } from '#core/observatory/ports.ts';
import { noTenant, type RecordedTrace } from '#core/observatory/traces.ts';
import type { Key, StoreOptions } from './store.ts';

const shards = 8;
/** Lifetime of traces. It is short because they show current activity. */
const keptMs = 24 * 3_600_000;
const pageItems = 100;
const queriesAtOnce = 32;

export function tracesTable({ store }: StoreOptions): TraceRing {
  return {
    async put(tenant, traces, suffix, nowMs) {
      const until = nowMs + keptMs;
      await store.put('traces', {
        ring: ringOf(tenant, shardOf(suffix)),
        at: `${String(nowMs).padStart(15, '0')}#${suffix}`,
        traces: JSON.stringify(traces),
        expires_at: until,
        ttl: Math.ceil(until / 1000),
      });
    },

    async recent(tenants, limit, nowMs) {
      const found: RecordedTrace[] = [];
      const rings = [noTenant, ...tenants].flatMap((tenant) =>
        Array.from({ length: shards }, (_, shard) => ringOf(tenant, shard)),
      );
      await sideBySide(rings, queriesAtOnce, async (ring) => found.push(...(await newest(ring, limit, nowMs))));
      return found;
    },
  };

  /** Reads at least the newest traces in a shard: as many items as needed to hold this number of traces. */
  async function newest(ring: string, limit: number, nowMs: number): Promise<RecordedTrace[]> {
    const found: RecordedTrace[] = [];
    let from: Key | undefined;
    do {
      const page = await store.query<{ expires_at: number; traces: string }>('traces', {
        partition: ring,
        order: 'descending',
        limit: pageItems,
        after: from,
        stale: true,
      });
      for (const { expires_at, traces } of page.rows)
        if (expires_at > nowMs) found.push(...(JSON.parse(traces) as RecordedTrace[]));
      from = page.next;
    } while (from && found.length < limit);
    return found;
  }
}

/** @param suffix hex digits */
const shardOf = (suffix: string): number => Number.parseInt(suffix.slice(-1), 16) % shards;

/** Returns a tenant's ring, or the ring of traces without a tenant. */
const ringOf = (tenant: string, shard: number): string => (tenant === noTenant ? String(shard) : `${shard}#${tenant}`);
