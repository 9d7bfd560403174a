/** Keys of `by_time`, the index of entries by tenant and time. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

/** Entries of one tenant and day lie in several partitions, so that no single one takes every write. */
export const dayKey = (tenant: string, isoDay: string, shard: number) => `${tenant}#${isoDay}#${shard}`;

/** Sort key of an entry. */
export const placeOf = ({ timestamp, session_id, index }: EvidenceEntry): string =>
  `${timestamp}#${session_id}#${String(index).padStart(12, '0')}`;
