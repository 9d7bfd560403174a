/**
 * The rows that calls read and write again and again (heads of sessions, counters), as they stand in the database, so that they are neither
 * looked up nor parsed for each call. No other process writes to the file.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { parseItem } from './item-text.ts';
import type { Item } from './values.ts';

/** 2 MB of text at most, and a few times that as items. */
const max = 512;
const maxCharacters = 4_096;

/** A row as text, and as an item for the store alone: what is answered is parsed again, because its reader may change it. */
interface Kept {
  readonly text: string;
  item?: Item;
}

export class RecentRows {
  #rows = new RecentMap<string, Kept>({ max });

  /** The text of a row that is kept. */
  text(id: string): string | undefined {
    return this.#rows.get(id)?.text;
  }

  /** The same as an item, which must not be changed and not be answered. */
  item(id: string): Item | undefined {
    const kept = this.#rows.get(id);
    if (kept) kept.item ??= parseItem(kept.text);
    return kept?.item;
  }

  /** To be called with each row that was read. */
  wasRead(id: string, text: string): void {
    if (text.length <= maxCharacters) this.#rows.set(id, { text });
  }

  /** To be called with each row that was written: rows that are never read do not take the place of those that are. */
  wasWritten(id: string, text: string, item: Item): void {
    if (!this.#rows.has(id)) return;
    if (text.length <= maxCharacters) this.#rows.set(id, { text, item });
    else this.#rows.delete(id);
  }

  wasDeleted(id: string): void {
    this.#rows.delete(id);
  }

  /** After writes were taken back. */
  forget(): void {
    this.#rows = new RecentMap({ max });
  }
}
