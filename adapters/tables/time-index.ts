/** Keys of `by_time`, the index of entries by tenant and time. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

/** Returns the partition for a tenant and day. Each day has several, so that no single partition takes every write. */
export const dayKey = (tenant: string, isoDay: string, shard: number) => `${tenant}#${isoDay}#${shard}`;

/** Returns an entry's sort key. */
export const timeKey = ({ timestamp, session_id, index }: EvidenceEntry): string =>
  `${timestamp}#${session_id}#${String(index).padStart(12, '0')}`;
