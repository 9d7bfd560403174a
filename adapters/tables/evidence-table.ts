/**
 * Evidence entries and session heads. Access patterns: a chain's entries in order; a tenant's entries by time (index
 * by_time per day and shard, newest day first, then the rows); a session's head; a tenant's sessions (index by_opened
 * per shard, then the rows). Both indexes hold only keys, so that an additional entry in a session does not write to
 * `by_opened`.
 */

import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { readableEntries } from '#core/evidence/entry-text.ts';
import type { AuditFilter, EvidenceLog, EvidenceRows, ManifestStore, SessionHead } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Page } from '#core/kernel/page.ts';
import { entryOfRow } from './entry-rows.ts';
import { cursorAt, inOrder, pageOf, placeAt } from './in-order.ts';
import { rowsByKey } from './rows-by-key.ts';
import { partitionOf, partitionsOf, shardOf, shards } from './shards.ts';
import { type IndexAttributes, type Key, queryPages, type Row, type StoreOptions, type Write } from './store.ts';
import { dayKey, timeKey } from './time-index.ts';

const chainKey = (tenant: string, session: string) => `${tenant}#${session}`;
const position = (index: number) => String(index).padStart(12, '0');

/** Returns an entry's key, regardless of which process wrote it. */
export const entryKey = ({ tenant, session_id, index }: EvidenceEntry): Key => ({
  chain: chainKey(tenant, session_id),
  position: position(index),
});

/**
 * Puts an entry if absent. Its text is stored verbatim, so that the bytes read are the bytes that were hashed.
 * @param writer names the writing call, so that identical text from two calls can be distinguished.
 * @param text the entry's canonical text.
 * @param clustered all entries of a day share one partition in `by_time`.
 */
export const entryPut = (
  entry: EvidenceEntry,
  writer: string,
  text = canonicalize(entry),
  clustered = false,
): Write => ({
  put: 'evidence',
  row: {
    ...entryKey(entry),
    writer,
    day: dayKey(entry.tenant, entry.timestamp.slice(0, 10), clustered ? 0 : shardOf(entry.hash, shards.time)),
    at: timeKey(entry),
    entry: text,
  },
  if: { absent: 'chain' },
  current: true, // returns the writer of the stored entry
});

/** Returns the key of a session's head. Session and tenant names contain no `#`. */
export const headKey = (tenant: string, session: string): Key => ({ id: chainKey(tenant, session) });

/** Advances a head if it is unchanged since it was read and has the same owner. */
export function headPut(before: SessionHead | undefined, after: SessionHead): Write {
  const { tenant, session_id, ...rest } = after;
  const owner = before?.owner_key;
  return {
    put: 'sessions',
    row: {
      ...headKey(tenant, session_id),
      tenant,
      session: session_id,
      opened_in: partitionOf(tenant, session_id, shards.opened),
      opened: `${after.opened_at}#${session_id}`,
      ...rest,
    },
    if: before
      ? {
          all: [
            { equals: ['last_hash', before.last_hash] },
            owner === undefined ? { absent: 'owner_key' } : { equals: ['owner_key', owner] },
          ],
        }
      : { absent: 'id' },
    current: true,
  };
}

export function toHead(row: Row): SessionHead {
  const {
    id: _id,
    session,
    opened_in: _in,
    opened: _opened,
    ...rest
  } = row as unknown as Omit<SessionHead, 'session_id'> &
    IndexAttributes<'id' | 'opened_in' | 'opened'> & { session: string };
  return { ...rest, session_id: session };
}

const manifestKey = (tenant: string, session: string, lastHash: string) => ({
  id: `${tenant}#manifest#${session}#${lastHash}`,
});

export function evidenceTable({ store }: StoreOptions): EvidenceLog & EvidenceRows & ManifestStore {
  return {
    async head(tenant, sessionId) {
      const row = await store.get('sessions', headKey(tenant, sessionId), { together: true });
      return row && toHead(row);
    },

    async *rows(tenant, sessionId, fromIndex = 0) {
      const rows = queryPages(store, 'evidence', {
        partition: chainKey(tenant, sessionId),
        range: { from: position(fromIndex) },
      });
      for await (const row of rows) yield entryOfRow(row, tenant);
    },

    entries(tenant, sessionId, fromIndex, unreadable) {
      return readableEntries(this.rows(tenant, sessionId, fromIndex), unreadable);
    },

    async putBack(entries, before, after) {
      const puts = entries.map((entry): Write => {
        const text = canonicalize(entry);
        const put = entryPut(entry, 'put back', text, store.clustered);
        return { ...put, if: { any: [{ absent: 'chain' }, { equals: ['entry', text] }] } };
      });
      return (await store.transact([headPut(before, after), ...puts])) === 'written';
    },

    async remove(entry) {
      const isSame = { any: [{ absent: 'chain' }, { equals: ['entry', canonicalize(entry)] }] } as const;
      return (await store.remove('evidence', entryKey(entry), { if: isSame })).written;
    },

    async sessions(tenant, { limit, cursor }): Promise<Page<SessionHead>> {
      const { rows, last } = await pageOf(
        {
          store,
          table: 'sessions',
          index: 'by_opened',
          partitions: partitionsOf(tenant, shards.opened),
          sortKey: 'opened',
          order: 'descending',
          after: placeAt(cursor),
        },
        limit,
      );
      const heads = await rowsByKey(store, 'sessions', rows);
      return { items: heads.map(toHead), ...(last !== undefined && { cursor: cursorAt(last) }) };
    },

    async audit(filter: AuditFilter) {
      const { auditPage } = await import('./audit-page.ts'); // few functions read the audit log
      return auditPage(filter, {
        keys: (partitions, { from, to, after }) =>
          inOrder({
            store,
            table: 'evidence',
            index: 'by_time',
            partitions,
            sortKey: 'at',
            order: 'descending',
            from,
            to,
            after,
            about: filter.limit,
          }),
        rows: (keys) => rowsByKey(store, 'evidence', keys, { stale: true }),
      });
    },

    async get(tenant, sessionId, lastHash) {
      const row = await store.get<{ manifest: string }>('sessions', manifestKey(tenant, sessionId, lastHash));
      return row && (JSON.parse(row.manifest) as SessionManifest);
    },

    async put(manifest) {
      const key = manifestKey(manifest.tenant, manifest.session_id, manifest.last_hash);
      const row = { ...key, manifest: canonicalize(manifest) };
      const { written } = await store.put('sessions', row, { if: { absent: 'id' } });
      if (written) return manifest;
      return (await this.get(manifest.tenant, manifest.session_id, manifest.last_hash)) ?? manifest;
    },
  };
}
