/** Text with invisible characters: finds phrases that these characters separate or spell, as a stream scan does. */

import { invisiblePlaces } from '#core/text/fold/visible.ts';
import type { Tally } from './findings.ts';
import type { Keywords } from './keywords.ts';
import { advance, type Lines, newLine } from './lines.ts';
import type { Regexes } from './regexes.ts';

/** Number of characters that a phrase or pattern may extend on either side of an invisible character. */
const reachCharacters = 512;
/** Character that represents the text before a window: neither a letter nor the start of the text. */
const textBeforeWindow = '\uffff';

/**
 * Records matches of keywords and patterns that appear if invisible characters are treated as blanks or letters, unless
 * a match exists without them.
 */
export function checkSilent(
  { keywords, regexes }: { readonly keywords: Keywords; readonly regexes: Regexes },
  text: string,
  tally: Tally,
): void {
  const blocks = (filter: number): boolean => tally.actionOf(filter) === 'block';
  const newLines = (): Lines => ({
    keywords: keywords.phrases.length > 0 ? newLine(keywords.partial(blocks)) : undefined,
    asRead: regexes.owners.length > 0 ? newLine(regexes.partial(blocks)) : undefined,
    asWritten: undefined,
    entities: undefined,
  });
  const found = new Map<number, string[]>();
  for (const [start, end] of windows(text)) {
    const lines = newLines();
    advance(lines, start === 0 ? text.slice(0, end) : textBeforeWindow + text.slice(start, end), 0);
    if (end === text.length)
      for (const line of [lines.keywords, lines.asRead]) line?.matches.finish(line.walk, line.hits);
    for (const { pattern } of lines.keywords?.hits ?? []) {
      const { filter, keyword } = keywords.phrases[pattern]!;
      found.set(filter, [keyword]);
    }
    for (const { pattern } of lines.asRead?.hits ?? []) found.set(regexes.owners[pattern]!, []);
  }
  for (const [filter, details] of found) if (!tally.hasFound(filter)) tally.found(filter, 1, details);
}

/** Returns separate windows of text around invisible characters. Each begins at the start of the text or at a blank. */
function windows(text: string): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const index of invisiblePlaces(text)) {
    const end = Math.min(text.length, index + reachCharacters);
    const last = found.at(-1);
    if (last && index - reachCharacters <= last[1]) last[1] = end;
    else found.push([blankBefore(text, index - reachCharacters), end]);
  }
  return found;
}

function blankBefore(text: string, index: number): number {
  let start = index;
  while (start > 0 && !/\s/.test(text[start]!)) start--;
  return Math.max(0, start);
}
