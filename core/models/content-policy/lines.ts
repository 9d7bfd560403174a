/** Reads text character by character with several pattern sets, each in the spelling that the set compares. */

import { foldText, isPlain, silentReadings } from '#core/text/fold/visible.ts';
import { newWalk, type PartialMatches, type PatternMatch, type Walk } from './partial-match.ts';
import { pieces, withoutCase } from './reading.ts';

/** Pattern set with its walk state. */
interface Line {
  readonly matches: PartialMatches;
  readonly walk: Walk;
  readonly hits: PatternMatch[];
}

export interface Lines {
  /** Folded, lower case. */
  readonly keywords: Line | undefined;
  /** Folded text, as it appears to a reader. */
  readonly asRead: Line | undefined;
  /** Text as written; absent while it is identical to the text as read. */
  asWritten: Line | undefined;
  /** Folded. */
  readonly entities: Line | undefined;
}

/** Written form of characters that represent others, such as JSON escapes. */
interface Spelling {
  written(from: number, to: number): string;
}

export const newLine = (matches: PartialMatches): Line => ({ matches, walk: newWalk(), hits: [] });

const copyLine = (line: Line | undefined): Line | undefined =>
  line && { matches: line.matches, walk: { ...line.walk }, hits: [] };

/** Copies the lines, so that callers can look ahead without advancing the originals. */
export const copyLines = (lines: Lines): Lines => ({
  keywords: copyLine(lines.keywords),
  asRead: copyLine(lines.asRead),
  asWritten: copyLine(lines.asWritten),
  entities: copyLine(lines.entities),
});

/** Reads the whole letters written at `offset`; `spelled` maps them to their written form, if it differs. */
export function advance(lines: Lines, text: string, offset: number, spelled?: Spelling): void {
  for (const { 0: letter, index } of pieces(text))
    if (isPlain(letter)) advanceAscii(lines, letter, offset + index, spelled);
    else advanceLetter(lines, letter, offset + index, spelled);
}

function advanceAscii(lines: Lines, text: string, offset: number, spelled: Spelling | undefined): void {
  const { keywords, asRead, entities } = lines;
  if (spelled && spelled.written(offset, offset + text.length) !== text) partWays(lines);
  const { asWritten } = lines;
  if (asWritten) stepWritten(asWritten, text, offset, spelled);
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    const at = offset + i;
    if (keywords) step(keywords, char >= 65 && char <= 90 ? char + 32 : char, at);
    if (asRead) step(asRead, char, at);
    if (entities) step(entities, char, at);
  }
}

/** Reads a letter that is beyond ASCII or has marks. All characters it folds to share the same written position. */
function advanceLetter(lines: Lines, written: string, at: number, spelled: Spelling | undefined): void {
  const read = foldText(written);
  const { keywords, asRead, entities } = lines;
  if (read !== written || (spelled && spelled.written(at, at + written.length) !== written)) partWays(lines);
  if (keywords) stepAll(keywords, withoutCase(read), at);
  if (asRead) stepAll(asRead, read, at);
  if (entities) stepAll(entities, read, at);
  for (const silent of silentReadings(written))
    for (const line of [keywords, lines.asRead])
      if (line)
        line.matches.maybe(line.walk, (line === keywords ? withoutCase(silent) : silent).charCodeAt(0), at, line.hits);
  if (lines.asWritten) stepWritten(lines.asWritten, written, at, spelled);
}

/** Starts a separate line for the written text once the read text differs from it. */
function partWays(lines: Lines): void {
  const { asRead } = lines;
  if (asRead) lines.asWritten ??= { ...asRead, walk: { ...asRead.walk }, hits: [...asRead.hits] };
}

function stepWritten(line: Line, text: string, at: number, spelled: Spelling | undefined): void {
  let offset = at;
  for (const char of text) {
    const end = offset + char.length;
    for (const sign of spelled?.written(offset, end) ?? char) step(line, sign.codePointAt(0)!, offset);
    offset = end;
  }
}

function stepAll(line: Line, text: string, at: number): void {
  for (const char of text) step(line, char.codePointAt(0)!, at);
}

const step = ({ matches, walk, hits }: Line, char: number, at: number): void => matches.step(walk, char, at, hits);
