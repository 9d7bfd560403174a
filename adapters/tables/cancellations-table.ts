/**
 * Cancellations: one row per call that a caller asked to cancel, `<tenant>#<key id>#<call>`; other calls have no row.
 * Access patterns: request (update); check (a stale read once per second while a call runs, or a consistent read by the
 * requesting process); take (update). TTL removes rows.
 */
import type { CallName, Cancellations } from '#core/execution/cancellation/ports.ts';
import type { StoreOptions } from './store.ts';

/** Time for which rows are kept: longer than any call can run. */
const keptSeconds = 3_600;

const cancellationKey = ({ tenant, key_id, call }: CallName) => ({ id: `${tenant}#${key_id}#${call}` });

export function cancellationsTable({ store }: StoreOptions): Cancellations {
  return {
    async ask(name, askedAt) {
      const expires = Math.ceil(Date.parse(askedAt) / 1000) + keptSeconds;
      await store.update('cancellations', cancellationKey(name), { set: { asked_at: askedAt, expires } });
    },
    async asked(name, { consistent = false } = {}) {
      const row = await store.get('cancellations', cancellationKey(name), { stale: !consistent });
      return row && { asked_at: String(row.asked_at), taken: row.taken === true };
    },
    async take(name) {
      await store.update('cancellations', cancellationKey(name), { set: { taken: true } });
    },
  };
}
