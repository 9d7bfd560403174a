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

/** Checks the members that tell which entry of which session it is. */
function isEntry(value: unknown): value is EvidenceEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { tenant, session_id, index, timestamp, hash } = value as Partial<EvidenceEntry>;
  return [tenant, session_id, timestamp, hash].every((each) => typeof each === 'string') && Number.isInteger(index);
}

/** A row of a chain whose text is not JSON. Verification names it as the first broken link [evidence.unreadable-named]. */
export class UnreadableEntry extends SyntaxError {}

/** Returns the value of a stored text, unchecked. @throws UnreadableEntry */
export function storedEntry(text: string): EvidenceEntry {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableEntry('a stored entry of evidence is not JSON', { cause });
  }
}

/** Returns the entry of a stored text. @throws SyntaxError if it holds none. */
export function entryIn(text: string): EvidenceEntry {
  const parsed: unknown = JSON.parse(text);
  if (!isEntry(parsed)) throw new SyntaxError('the stored text is not an entry of evidence');
  return parsed;
}

const parsedImage = remembered(({ entry }: Image): EvidenceEntry | undefined => {
  try {
    return entry?.S === undefined ? undefined : entryIn(entry.S);
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

/** The entry of an image; undefined if it holds none that can be read. */
export const entryOfImage = (image: Image | undefined): EvidenceEntry | undefined => image && parsedImage(image);
