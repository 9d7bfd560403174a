/**
 * An attacker with full access to the tables and the gateway's own code, but to no file and no key: rewrites a
 * session's rows so that they are consistent with each other.
 */
import { entryPut, headKey, headPut, toHead } from '#adapters/tables/evidence-table.ts';
import type { Row, Store, Write } from '#adapters/tables/store.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';

export class TableAttacker {
  readonly #store: Store;
  readonly #scan: (table: TableName) => Row[];
  readonly #tenant: string;

  constructor({ store, scan }: { store: Store; scan?: (table: TableName) => Row[] }, tenant = 'default') {
    this.#store = store;
    this.#scan = scan ?? (() => []);
    this.#tenant = tenant;
  }

  async entries(session: string): Promise<EvidenceEntry[]> {
    const { rows } = await this.#store.query<{ entry: string }>('evidence', {
      partition: `${this.#tenant}#${session}`,
    });
    return rows.map(({ entry }) => JSON.parse(entry) as EvidenceEntry);
  }

  async head(session: string): Promise<SessionHead> {
    return toHead((await this.#store.get('sessions', headKey(this.#tenant, session))) ?? {});
  }

  /** Replaces the session's history with this one, with hashes and head as if it had happened. */
  async tell(session: string, story: readonly EntryDraft[]): Promise<void> {
    const { owner_key } = await this.head(session);
    await this.remove(session);
    let head: SessionHead | undefined;
    for (const draft of story) {
      const entry = sealEntry({ ...draft, session_id: session }, head);
      head = advanceHead(head, entry, owner_key);
      await this.#put(entryPut(entry, 'writer'));
    }
    if (head) await this.setHead(head);
  }

  /** Appends an entry as the gateway would. */
  async append(session: string, draft: EntryDraft): Promise<void> {
    const head = await this.head(session);
    const entry = sealEntry({ ...draft, session_id: session }, head);
    await this.#put(entryPut(entry, 'writer'));
    await this.setHead(advanceHead(head, entry));
  }

  async setHead(head: SessionHead): Promise<void> {
    await this.#put(headPut(undefined, head));
  }

  /** Sets attributes in an approval's row. */
  setApproval(id: string, set: Row): Promise<void> {
    return this.set('approvals', { id }, set);
  }

  /** Sets attributes in any row. */
  async set(table: TableName, key: Readonly<Record<string, string>>, set: Row): Promise<void> {
    await this.#store.update(table, key, { set });
  }

  /** Returns the rows of a table whose `id` has this prefix. */
  async rows(table: TableName, prefix: string): Promise<Row[]> {
    return this.#scan(table).filter(({ id }) => String(id).startsWith(prefix));
  }

  /** Replaces a whole row. */
  async put(table: TableName, row: Row): Promise<void> {
    await this.#store.put(table, row);
  }

  /** Deletes the entries and the head. */
  async remove(session: string): Promise<void> {
    for (const { index } of await this.entries(session)) await this.removeEntry(session, index);
    await this.removeRow('sessions', headKey(this.#tenant, session));
  }

  async removeRow(table: TableName, key: Readonly<Record<string, string>>): Promise<void> {
    await this.#store.remove(table, key);
  }

  async removeEntry(session: string, index: number): Promise<void> {
    const position = String(index).padStart(12, '0');
    await this.removeRow('evidence', { chain: `${this.#tenant}#${session}`, position });
  }

  async #put(write: Write): Promise<void> {
    if ('put' in write) await this.#store.put(write.put, write.row);
  }
}
