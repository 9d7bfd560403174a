/** Caches the conversion between entries and their canonical text [evidence.one-text]. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Returns the canonical text of an entry. Entries are immutable, so the cached text stays valid. */
export const textOfEntry = remembered((entry: EvidenceEntry): string => canonicalize(entry));

/** Remembers the canonical text of an entry. */
export const rememberText = textOfEntry.know;

/** A new item of the evidence table, as delivered by its stream. */
interface Image {
  readonly entry?: { readonly S?: string | undefined } | undefined;
}

/** Checks the members that identify an entry. */
function isEntry(value: unknown): value is EvidenceEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { tenant, session_id, index, timestamp, hash } = value as Partial<EvidenceEntry>;
  return [tenant, session_id, timestamp, hash].every((each) => typeof each === 'string') && Number.isInteger(index);
}

/**
 * Error for a stored entry that is not JSON. Verification reports it as the first broken link
 * [evidence.unreadable-named].
 */
export class UnreadableEntry extends SyntaxError {}

/** Parses a stored entry without checking it. @throws UnreadableEntry */
export function storedEntry(text: string): EvidenceEntry {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableEntry('a stored entry of evidence is not JSON', { cause });
  }
}

/** Parses a stored entry. @throws SyntaxError if the text is not an entry. */
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

/** Returns the image of an entry as the table's stream would deliver it. */
export function imageOf(entry: EvidenceEntry): { readonly entry: { readonly S: string } } {
  const image = { entry: { S: textOfEntry(entry) } };
  parsedImage.know(image, entry);
  return image;
}

/** Returns the entry of an image, or undefined if it cannot be read. */
export const entryOfImage = (image: Image | undefined): EvidenceEntry | undefined => image && parsedImage(image);
