/**
 * The head of each tenant's transparency log, its session index, and witness cosignatures, in the observations table.
 * Access patterns: the head (get; put if its version is the next one); the newest leaf of each session (get by keys;
 * put if it is ahead); a tenant's cosignatures (one series).
 */

import type { Key, StoreOptions } from '#adapters/tables/store.ts';
import { hashBytes } from '#core/evidence/transparency/tree.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { Cosignature, LogHead, LogHeads } from '../ports.ts';
import { packLeaves, unpackLeaves } from './packed-leaves.ts';

const headKey = (tenant: string): Key => ({ series: `log#${tenant}`, at: 'head' });
const sessionKey = (tenant: string, session: string): Key =>
  // Spread over partitions, because each accepts 1,000 writes per second.
  ({ series: `log-sessions#${session.slice(0, 2)}#${tenant}`, at: session });
const witnessSeries = (tenant: string): string => `log-witnesses#${tenant}`;

function newestOf(tenant: string, { newest }: LogHead): { newest: Uint8Array; newest_at: string } {
  const at = newest[0]?.at ?? '';
  return { newest: packLeaves(newest, { tenant, at }), newest_at: at };
}

type StoredHead = Omit<LogHead, 'roots' | 'newest'> & {
  readonly roots: Uint8Array;
  readonly newest: Uint8Array;
  readonly newest_at: string;
};

function toHead(tenant: string, { version, size, roots, checkpoint, newest, newest_at }: StoredHead): LogHead {
  const bytes = Buffer.from(roots);
  const hashes = Array.from({ length: bytes.length / hashBytes }, (_, i) =>
    bytes.subarray(i * hashBytes, (i + 1) * hashBytes),
  );
  return { version, size, roots: hashes, checkpoint, newest: unpackLeaves(newest, { tenant, at: newest_at }) };
}

export function logTable({ store }: StoreOptions): LogHeads {
  /** Puts the row unless a later one is stored. */
  const putAhead = async (key: Key, row: object, order: string, value: number): Promise<void> => {
    const isAhead = { any: [{ absent: 'series' }, { below: [order, value] }] } as const;
    await store.put('observations', { ...key, ...row }, { if: isAhead });
  };

  return {
    async head(tenant) {
      const row = await store.get<StoredHead>('observations', headKey(tenant));
      return row && toHead(tenant, row);
    },

    async replace(tenant, head) {
      const row = { ...headKey(tenant), ...head, roots: Buffer.concat(head.roots), ...newestOf(tenant, head) };
      const isNext =
        head.version === 1 ? ({ absent: 'series' } as const) : ({ equals: ['version', head.version - 1] } as const);
      return (await store.put('observations', row, { if: isNext })).written;
    },

    async sessions(tenant, sessions) {
      const keys = sessions.map((session) => ['observations', sessionKey(tenant, session)] as const);
      const rows = await store.getMany<{ at: string; index: number; position: number }>(keys);
      return rows.flatMap((row) => (row ? [{ session: row.at, index: row.index, position: row.position }] : []));
    },

    async remember(tenant, sessions) {
      await sideBySide(sessions, 64, ({ session, index, position }) =>
        putAhead(sessionKey(tenant, session), { index, position }, 'position', position),
      );
    },

    async cosignatures(tenant) {
      const { rows } = await store.query<{ at: string } & Cosignature>('observations', {
        partition: witnessSeries(tenant),
      });
      return rows.map(({ at, size, note }) => ({ witness: at, size, note }));
    },

    keepCosignature: (tenant, { witness, size, note }) =>
      putAhead({ series: witnessSeries(tenant), at: witness }, { size, note }, 'size', size),
  };
}
