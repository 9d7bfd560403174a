/** The canonical text of an entry, and the entry of a text, where this process made one of the other already [evidence.one-text]. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';

const texts = new WeakMap<EvidenceEntry, string>();

/** Remembers the canonical text of an entry. An entry never changes: a changed one is another object. */
export const rememberText = (entry: EvidenceEntry, text: string): void => void texts.set(entry, text);

/** The canonical text of an entry. */
export const textOfEntry = (entry: EvidenceEntry): string => texts.get(entry) ?? canonicalize(entry);

/** A new item of the evidence table, as its stream hands it over. */
interface Image {
  readonly entry?: { readonly S?: string | undefined } | undefined;
}

const entries = new WeakMap<Image, EvidenceEntry>();

/** An image as the stream of the table would have it, of an entry that is at hand. */
export function imageOf(entry: EvidenceEntry): { readonly entry: { readonly S: string } } {
  const image = { entry: { S: textOfEntry(entry) } };
  entries.set(image, entry);
  return image;
}

/** The entry of an image; undefined where it holds none. */
export function entryOfImage(image: Image | undefined): EvidenceEntry | undefined {
  const known = image && entries.get(image);
  if (known) return known;
  const text = image?.entry?.S;
  try {
    return text === undefined ? undefined : (JSON.parse(text) as EvidenceEntry);
  } catch {
    return undefined;
  }
}
