/** Search entries, and the selection of those that match the typed words. */
import type { Page } from '../page-names.ts';

export interface Entry {
  readonly kind: string;
  readonly page: Page;
  readonly id?: string;
  readonly name: string;
  /** Additional searchable text: a target, a server. */
  readonly more?: string | undefined;
}

const mostShown = 30;

/**
 * Returns the entries that contain every word. Names that begin with the text come first; otherwise the order is kept.
 */
export function matching(entries: readonly Entry[], words: string): readonly Entry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const first = wanted.join(' ');
  const textOf = ({ kind, name, more = '' }: Entry) => `${kind} ${name} ${more}`.toLowerCase();
  const found = entries.filter((entry) => wanted.every((word) => textOf(entry).includes(word)));
  const begins = ({ name }: Entry) => first !== '' && name.toLowerCase().startsWith(first);
  return [...found.filter(begins), ...found.filter((entry) => !begins(entry))].slice(0, mostShown);
}
