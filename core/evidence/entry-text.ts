/**
 * Converts between entries and their stored text [evidence.chain]. A row that is not an entry is represented by a
 * separate type.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { ChainPlace } from './contradiction.ts';
import { shapeDefect } from './entry-shape.ts';

/** Returns the canonical text of an entry. Entries are immutable, so the cached text stays valid. */
export const textOfEntry = remembered((entry: EvidenceEntry): string => canonicalize(entry));

/** Caches the canonical text of an entry. */
export const rememberText = textOfEntry.know;

/** A new item in the evidence table, as delivered by its stream. */
interface Image {
  readonly entry?: { readonly S?: string | undefined } | undefined;
}

/** Location of a row in the log. */
export interface RowPlace {
  readonly session_id: string;
  readonly index: number;
}

/**
 * A row of the log that is not a valid entry. Readers report it by name and continue with the other rows. Decisions
 * that depend on the chain are refused [evidence.readers-survive].
 */
export class UnreadableEntry extends SyntaxError implements RowPlace {
  readonly session_id: string;
  readonly index: number;
  /** The stored value: the parsed JSON, or the raw text if it is not JSON. */
  readonly stored: unknown;

  constructor({ session_id, index }: RowPlace, defect: string, stored: unknown) {
    super(defect);
    this.session_id = session_id;
    this.index = index;
    this.stored = stored;
  }
}

/** A row of a chain. */
export type StoredEntry = EvidenceEntry | UnreadableEntry;

/** Parses a row's text. Never throws: a row that is not an entry is returned as an `UnreadableEntry`. */
export function storedEntry(text: string, place: RowPlace): StoredEntry {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return new UnreadableEntry(place, 'the entry cannot be read: its row contains no JSON', text);
  }
  const defect = shapeDefect(stored);
  return defect === undefined ? (stored as EvidenceEntry) : new UnreadableEntry(place, defect, stored);
}

/**
 * Yields the valid entries of a chain.
 * @param unreadable receives the other rows. If omitted, the first such row is thrown.
 */
export async function* readableEntries(
  rows: AsyncIterable<StoredEntry>,
  unreadable?: (row: UnreadableEntry) => void,
): AsyncGenerator<EvidenceEntry, void> {
  for await (const row of rows) {
    if (!(row instanceof UnreadableEntry)) yield row;
    else if (unreadable) unreadable(row);
    else throw row;
  }
}

/** Returns a row's location in the form used in responses and log lines. */
export const rowPlace = ({ session_id, index }: RowPlace): RowPlace => ({ session_id, index });

/** Names unreadable rows in messages for people. */
export const namesOfRows = (rows: readonly RowPlace[]): string =>
  rows.map(({ session_id, index }) => `entry ${index} of session ${session_id}`).join(', ');

const parsedImage = remembered(({ entry }: Image): EvidenceEntry | undefined => {
  const stored = entry?.S === undefined ? undefined : storedEntry(entry.S, { session_id: '', index: -1 });
  return stored instanceof UnreadableEntry ? undefined : stored;
});

/** Returns the image of an entry in the form that the table's stream would deliver. */
export function imageOf(entry: EvidenceEntry): { readonly entry: { readonly S: string } } {
  const image = { entry: { S: textOfEntry(entry) } };
  parsedImage.know(image, entry);
  return image;
}

/** Returns the entry of an image, or undefined if the image cannot be read. */
export const entryOfImage = (image: Image | undefined): EvidenceEntry | undefined => image && parsedImage(image);

/** The key of a row, as delivered by the table's stream. */
interface StreamKeys {
  readonly chain?: { readonly S?: string | undefined } | undefined;
  readonly position?: { readonly S?: string | undefined } | undefined;
}

/** Returns a row's location from its key, or undefined if the key does not belong to an entry. */
export function placeOfKeys(keys: StreamKeys | undefined): ChainPlace | undefined {
  const [, tenant, session_id] = /^([^#]+)#(.+)$/.exec(keys?.chain?.S ?? '') ?? [];
  const index = Number(keys?.position?.S ?? Number.NaN);
  return tenant && session_id && Number.isSafeInteger(index) ? { tenant, session_id, index } : undefined;
}
