/** Text as a reader sees it, with the way back to the characters it was written with. */

import { controls, foldText, hasSpecial, isPlain } from '#core/text/fold/visible.ts';
import { foldUnicode, isAscii } from '#core/text/matching/fold-unicode.ts';

/** Characters that may change, or vanish into, the one before them: marks, what begins with one, invisible ones, jamo. */
const extenders = String.raw`\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}${controls}\u0e33\u0eb3\u1160-\u11ff\u3131-\u318e\uff9e-\uffdc`;
const extender = new RegExp(`^[${extenders}]$`, 'u');
/** Bounds the work on letters with endless marks. */
const extendersAtMost = 127;

/**
 * ASCII that nothing extends, or one character with its extenders. Folding works inside such a piece only, so the
 * folded pieces joined are the folded text.
 */
const piece = new RegExp(`[\t-\r -~]+(?![${extenders}])|[^][${extenders}]{0,${extendersAtMost}}`, 'gu');

/** What a reader sees; `at[i]` is where the character behind `text[i]` was written, with one more for the end. */
export interface Reading {
  readonly text: string;
  /** Absent where every character is its own. */
  readonly at?: Int32Array;
}

/** One character may be read as eighteen: a text that grows beyond this would take the memory of a worker. */
const maxCharacters = 1_000_000;

/**
 * NFKC, invisible characters removed, look-alikes folded; upper and lower case stay.
 * @throws RangeError for a text that folding makes much longer than it was, and longer than a million characters.
 */
export function readingOf(raw: string): Reading {
  if (isPlain(raw)) return { text: raw };
  const fold = hasSpecial(raw) ? foldText : foldUnicode;
  let text = '';
  let at = new Int32Array(2 * raw.length + 1);
  let length = 0;
  for (const { 0: written, index } of raw.matchAll(piece)) {
    const read = fold(written);
    const ascii = read === written && isAscii(written);
    if (length + read.length >= at.length) {
      if (length > maxCharacters) throw new RangeError('folded, the text is longer than what is looked at');
      at = longer(at, length + read.length);
    }
    for (let i = 0; i < read.length; i++) at[length++] = ascii ? index + i : index;
    text += read;
  }
  at[length] = raw.length;
  return { text, at: at.subarray(0, length + 1) };
}

function longer(at: Int32Array<ArrayBuffer>, needed: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(2 * needed + 1);
  next.set(at);
  return next;
}

/** Where characters `start` to `end` of a reading were written: whole letters with all that extends them. */
export function writtenRange({ at }: Reading, start: number, end: number): readonly [start: number, end: number] {
  if (!at) return [start, end];
  const last = at[end - 1]!;
  let next = end;
  while (next < at.length - 1 && at[next] === last) next++;
  return [at[start]!, at[next]!];
}

/** Where in a reading the character written at `offset` stands, or the next one that is seen. */
export function indexIn({ at }: Reading, offset: number): number {
  if (!at) return offset;
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pieces of `raw` with their offsets, to read it character by character. */
export const pieces = (raw: string): Iterable<RegExpExecArray> => raw.matchAll(piece);

/**
 * Where the last letter of `raw` begins: what follows may still change it. A lone high surrogate at the end belongs to
 * it, since the character it begins may be a mark.
 */
export function lastLetter(raw: string): number {
  let start = raw.length;
  for (let steps = 0; start > 0 && steps <= extendersAtMost + 1; steps++) {
    const isPair = start > 1 && isLow(raw.charCodeAt(start - 1)) && isHigh(raw.charCodeAt(start - 2));
    start -= isPair ? 2 : 1;
    const unit = raw.charCodeAt(start);
    if (unit < 0x80 && unit > 0x1f && unit !== 0x7f) break;
    const openSurrogate = !isPair && isHigh(unit) && start === raw.length - 1;
    if (!openSurrogate && !extender.test(String.fromCodePoint(raw.codePointAt(start)!))) break;
  }
  return start;
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
export const endsIncomplete = (raw: string): boolean => raw.length > 0 && isHigh(raw.charCodeAt(raw.length - 1));

/** A reading without case, as keywords are compared. Works letter by letter, like `readingOf`. */
export function withoutCase(read: string): string {
  if (isAscii(read)) return read.toLowerCase();
  // A capital may be a look-alike only once it is small, and the small form of İ brings its dot along.
  return foldUnicode(read.toLowerCase().replaceAll('ς', 'σ'));
}

const blanks = /\s\s+|[^\S ]/g;

/** Words with one space between them. */
export const withSingleSpaces = (text: string): string => text.replace(blanks, ' ');

/** The letters a mark that follows `letter` may compose with: of what was written, and of what is read. */
export function basesOf(letter: string): readonly number[] {
  if (isAscii(letter)) return letter === '' ? [] : [letter.codePointAt(letter.length - 1)!];
  return [letter, foldText(letter)].flatMap((text) => text.normalize('NFD').codePointAt(0) ?? []);
}

/** Letters that a mark makes of `letter`; Hangul aside, whose syllables compose of letters no filter distinguishes. */
export function compositionsOf(letter: number): readonly number[] {
  composed ??= composedLetters();
  return composed.get(letter) ?? [];
}

let composed: ReadonlyMap<number, readonly number[]> | undefined;

function composedLetters(): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const [first, last] of composedRanges)
    for (let char = first; char <= last; char++) {
      const parts = String.fromCodePoint(char).normalize('NFD');
      const base = parts.codePointAt(0)!;
      if (parts.length > 1) found.set(base, [...(found.get(base) ?? []), char]);
    }
  return found;
}

/** Latin, Greek, Cyrillic, Arabic, the scripts of India, signs, Kana: where letters with marks have a code of their own. */
const composedRanges = [
  ...[[0xc0, 0x233] as const, [0x385, 0x3d4] as const, [0x400, 0x4f9] as const, [0x622, 0x6d3] as const],
  ...[[0x929, 0xddd] as const, [0x1e00, 0x1fff] as const, [0x219a, 0x22ed] as const, [0x304c, 0x30fe] as const],
];
