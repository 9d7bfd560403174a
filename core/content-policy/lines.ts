/** One text read character by character by several pattern sets, each in the spelling it compares. */
import { foldUnicode, isAscii } from '#core/tool-policy/unicode.ts';
import { type Hit, newWalk, type PartialMatches, type Walk } from './partial-match.ts';
import { pieces, withoutCase } from './reading.ts';

/** A pattern set, and how far its walk has come. */
export interface Line {
  readonly matches: PartialMatches;
  readonly walk: Walk;
  readonly hits: Hit[];
}

export interface Lines {
  /** Folded, without case. */
  readonly keywords: Line | undefined;
  /** Folded: what a reader sees. */
  readonly asRead: Line | undefined;
  /** As it was written; absent while that is the same. */
  asWritten: Line | undefined;
  /** Folded. */
  readonly entities: Line | undefined;
}

export const newLine = (matches: PartialMatches): Line => ({ matches, walk: newWalk(), hits: [] });

const copyLine = (line: Line | undefined): Line | undefined =>
  line && { matches: line.matches, walk: { ...line.walk }, hits: [] };

/** To look ahead without having read. */
export const copyLines = (lines: Lines): Lines => ({
  keywords: copyLine(lines.keywords),
  asRead: copyLine(lines.asRead),
  asWritten: copyLine(lines.asWritten),
  entities: copyLine(lines.entities),
});

/** Reads whole letters that were written at `offset`. */
export function advance(lines: Lines, text: string, offset: number): void {
  for (const { 0: letter, index } of pieces(text))
    if (isAscii(letter)) advanceAscii(lines, letter, offset + index);
    else advanceLetter(lines, letter, offset + index);
}

function advanceAscii({ keywords, asRead, asWritten, entities }: Lines, text: string, offset: number): void {
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    const at = offset + i;
    if (keywords) step(keywords, char >= 65 && char <= 90 ? char + 32 : char, at);
    if (asRead) step(asRead, char, at);
    if (asWritten) step(asWritten, char, at);
    if (entities) step(entities, char, at);
  }
}

/** A letter beyond ASCII, or with marks: all it is read as was written in one place. */
function advanceLetter(lines: Lines, written: string, at: number): void {
  const read = foldUnicode(written);
  const { keywords, asRead, entities } = lines;
  if (asRead && read !== written) lines.asWritten ??= { ...asRead, walk: { ...asRead.walk }, hits: [...asRead.hits] };
  if (keywords) stepAll(keywords, withoutCase(read), at);
  if (asRead) stepAll(asRead, read, at);
  if (entities) stepAll(entities, read, at);
  if (!lines.asWritten) return;
  let offset = 0;
  for (const char of written) {
    step(lines.asWritten, char.codePointAt(0)!, at + offset);
    offset += char.length;
  }
}

function stepAll(line: Line, text: string, at: number): void {
  for (const char of text) step(line, char.codePointAt(0)!, at);
}

const step = ({ matches, walk, hits }: Line, char: number, at: number): void => matches.step(walk, char, at, hits);
