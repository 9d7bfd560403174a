/** Reads entries from rows in the evidence table. */
import { type StoredEntry, storedEntry } from '#core/evidence/entry-text.ts';
import type { Row } from './store.ts';

/** Returns a row's entry; for a row that is not an entry, its place in the chain. */
export const entryOfRow = ({ chain, position, entry }: Row, tenant: string): StoredEntry =>
  storedEntry(typeof entry === 'string' ? entry : '', {
    session_id: String(chain ?? '').slice(tenant.length + 1),
    index: Number(position),
  });
