/** Parses the entries in rows of the evidence table. */
import { type StoredEntry, storedEntry } from '#core/evidence/entry-text.ts';
import type { Row } from './store.ts';

/** Returns a row's entry, or, if the row does not contain an entry, its place in the chain. */
export const entryOfRow = ({ chain, position, entry }: Row, tenant: string): StoredEntry =>
  storedEntry(typeof entry === 'string' ? entry : '', {
    session_id: String(chain ?? '').slice(tenant.length + 1),
    index: Number(position),
  });
