/** Joins the texts of one message as a reader sees them, so that content split over parts is whole again. */
import { decodedJson } from './json-spelling.ts';
import type { Scanned } from './ports.ts';

/** Maximum length on either side of a boundary that a filter may match across it. */
const boundaryCharacters = 512;

/** Separators: parts may continue each other, or be lines of their own. */
const between = ['', '\n'];

/** Returns the texts of each group in order, without the middle of long ones. */
export function joinedTexts(texts: readonly Scanned[]): string[] {
  const groups = Map.groupBy(
    texts.filter(({ group, text }) => group !== undefined && text !== ''),
    ({ group }) => group,
  );
  return [...groups.values()].flatMap((group) =>
    group.length < 2 ? [] : between.map((line) => group.map(ends).join(line)),
  );
}

/** Replaces the middle of a long text, which was scanned separately, with a character that no filter matches. */
function ends({ text: written, json }: Scanned): string {
  const text = json ? decodedJson(written) : written;
  return text.length <= 2 * boundaryCharacters
    ? text
    : `${text.slice(0, boundaryCharacters)}\uffff${text.slice(-boundaryCharacters)}`;
}
