/**
 * Session provenance, stored as keyed digests without any text. Rows are keyed by `session` (tenant#session) and
 * `entry`: `#head` has the session's key, the number of its digests and whether some were left out; `r#<envelope_id>`
 * is a result, `w#<digest>` is the person's words. Access patterns: read all rows of a session, create and update the
 * head, put a row if absent. Reads check `expires_at`; TTL removes rows.
 */

import { allRows, type StoreOptions } from '#adapters/tables/store.ts';
import type { SessionName } from '#core/session/value-tracer.ts';
import type { ProvenanceStore, SeenEntry } from '../ports.ts';

const head = '#head';
const partition = ({ tenant, session }: SessionName): string => `${tenant}#${session}`;
const seconds = (ms: number): number => Math.ceil(ms / 1000);

export function provenanceTable({ store }: StoreOptions): ProvenanceStore {
  const headKey = (name: SessionName) => ({ session: partition(name), entry: head });
  return {
    async recall(name, nowMs) {
      const rows = await allRows(store, 'provenance', { partition: partition(name) });
      const first = rows.find(({ entry }) => entry === head);
      if (!first || Number(first.expires_at) <= nowMs) return undefined;
      const entries = rows.filter(({ entry, expires_at }) => entry !== head && Number(expires_at) > nowMs);
      // Rows put when the record was opened have expired, so the oldest are missing.
      const aged = Number(first.oldest_until) <= nowMs;
      return { key: String(first.key), entries: entries.map(entryOf), gap: first.gap === true || aged };
    },
    async open(name, key, nowMs, keptSeconds) {
      const until = nowMs + keptSeconds * 1000;
      const opened = {
        setIfAbsent: { key, oldest_until: until },
        set: { expires_at: until, ttl: seconds(until) },
      };
      const { row = {} } = await store.update('provenance', headKey(name), opened, { after: true });
      return { key: String(row.key), digests: Number(row.digests ?? 0) };
    },
    async put(name, { id, ...entry }, nowMs, keptSeconds) {
      const until = nowMs + keptSeconds * 1000;
      const row = { session: partition(name), entry: id, ...entry, expires_at: until, ttl: seconds(until) };
      return (await store.put('provenance', row, { if: { absent: 'entry' } })).written;
    },
    async grow(name, { digests, gap }, nowMs, keptSeconds) {
      const until = nowMs + keptSeconds * 1000;
      const set = { expires_at: until, ttl: seconds(until), ...(gap && { gap: true }) };
      await store.update('provenance', headKey(name), { set, add: { digests } });
    },
  };
}

function entryOf({ entry, label, server, action, digests }: Record<string, unknown>): SeenEntry {
  return {
    id: String(entry),
    label: String(label),
    ...(server !== undefined && { server: String(server) }),
    ...(action !== undefined && { action: String(action) }),
    digests: digests as Uint8Array,
  };
}
