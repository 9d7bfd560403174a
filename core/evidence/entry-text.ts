/** The canonical text of an entry, and the entry of a text, where this process made one of the other already [evidence.one-text]. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** The canonical text of an entry, which never changes: a changed one is another object. */
export const textOfEntry = remembered((entry: EvidenceEntry): string => canonicalize(entry));

/** Remembers the canonical text of an entry. */
export const rememberText = textOfEntry.know;

/** A new item of the evidence table, as its stream hands it over. */
interface Image {
  readonly entry?: { readonly S?: string | undefined } | undefined;
}

const parsedImage = remembered(({ entry }: Image): EvidenceEntry | undefined => {
  try {
    return entry?.S === undefined ? undefined : (JSON.parse(entry.S) as EvidenceEntry);
  } catch {
    return undefined;
  }
});

/** An image as the stream of the table would have it, of an entry that is at hand. */
export function imageOf(entry: EvidenceEntry): { readonly entry: { readonly S: string } } {
  const image = { entry: { S: textOfEntry(entry) } };
  parsedImage.know(image, entry);
  return image;
}

/** The entry of an image; undefined where it holds none. */
export const entryOfImage = (image: Image | undefined): EvidenceEntry | undefined => image && parsedImage(image);
