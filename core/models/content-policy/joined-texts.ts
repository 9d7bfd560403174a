/** The texts of one message as a reader meets them: what is split over its parts is whole again. */
import { decodedJson } from './json-spelling.ts';
import type { Scanned } from './ports.ts';

/** What a filter may match across a boundary is at most this long on either side. */
const boundaryCharacters = 512;

/** Parts may continue each other, and may stand on lines of their own. */
const between = ['', '\n'];

/** For each group of several texts: the texts in order, long ones without their middles. */
export function joinedTexts(texts: readonly Scanned[]): string[] {
  const groups = Map.groupBy(
    texts.filter(({ group, text }) => group !== undefined && text !== ''),
    ({ group }) => group,
  );
  return [...groups.values()].flatMap((group) =>
    group.length < 2 ? [] : between.map((line) => group.map(ends).join(line)),
  );
}

/** The middle of a long text has been looked at by itself; a character that no filter looks for stands for it. */
function ends({ text: written, json }: Scanned): string {
  const text = json ? decodedJson(written) : written;
  return text.length <= 2 * boundaryCharacters
    ? text
    : `${text.slice(0, boundaryCharacters)}\uffff${text.slice(-boundaryCharacters)}`;
}
