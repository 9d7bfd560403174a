/** Folds text to the form a reader sees, with a mapping back to the characters as written. */

import { controls, foldText, hasSpecial, isPlain } from '#core/text/fold/visible.ts';
import { foldUnicode, isAscii } from '#core/text/matching/fold-unicode.ts';

/**
 * Characters that may change or merge into the preceding one: marks, compositions that contain them, invisible
 * characters, jamo.
 */
const extenders = String.raw`\p{M}\p{Default_Ignorable_Code_Point}\p{Cf}${controls}\u0e33\u0eb3\u1160-\u11ff\u3131-\u318e\uff9e-\uffdc`;
const extender = new RegExp(`^[${extenders}]$`, 'u');
/** Maximum number of extenders, which limits the work on letters with excessive marks. */
const extendersAtMost = 127;

/**
 * ASCII without extenders, or one character with its extenders. Folding never crosses these pieces, so the folded text
 * is the concatenation of the folded pieces.
 */
const piece = new RegExp(`[\t-\r -~]+(?![${extenders}])|[^][${extenders}]{0,${extendersAtMost}}`, 'gu');

/**
 * Text as read. `at[i]` is the written position of the character after `text[i]`, with an additional entry for the end.
 */
export interface Reading {
  readonly text: string;
  /** Absent if every character is read as written. */
  readonly at?: Int32Array;
}

/** Maximum length after folding: one character may expand to eighteen, which could exhaust a worker's memory. */
const maxCharacters = 1_000_000;

/**
 * Folds text: applies NFKC, removes invisible characters and replaces look-alikes. Case is preserved.
 * @throws RangeError if folding greatly lengthens the text, to more than a million characters.
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
      if (length > maxCharacters)
        throw new RangeError('after folding, the text is longer than the maximum that is checked');
      at = grow(at, length + read.length);
    }
    for (let i = 0; i < read.length; i++) at[length++] = ascii ? index + i : index;
    text += read;
  }
  at[length] = raw.length;
  return { text, at: at.subarray(0, length + 1) };
}

function grow(at: Int32Array<ArrayBuffer>, needed: number): Int32Array<ArrayBuffer> {
  const next = new Int32Array(2 * needed + 1);
  next.set(at);
  return next;
}

/** Returns the written range of characters `start` to `end` of a reading, in whole letters with their extenders. */
export function writtenRange({ at }: Reading, start: number, end: number): readonly [start: number, end: number] {
  if (!at) return [start, end];
  const last = at[end - 1]!;
  let next = end;
  while (next < at.length - 1 && at[next] === last) next++;
  return [at[start]!, at[next]!];
}

/** Returns the index in a reading of the character written at `offset`, or of the next visible one. */
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

/** Returns the pieces of `raw` with their offsets, so that callers can read it character by character. */
export const pieces = (raw: string): Iterable<RegExpExecArray> => raw.matchAll(piece);

/**
 * Returns the start of the last letter of `raw`, which later text may still change. A lone high surrogate at the end
 * counts as part of the letter, because it may be the first half of a mark.
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

/**
 * Returns a reading in lower case, the form in which keywords are compared. Works letter by letter, like `readingOf`.
 */
export function withoutCase(read: string): string {
  if (isAscii(read)) return read.toLowerCase();
  // A capital may become a look-alike only when lower-cased, and the lower case of İ includes its dot.
  return foldUnicode(read.toLowerCase().replaceAll('ς', 'σ'));
}

const blanks = /\s\s+|[^\S ]/g;

/** Collapses whitespace to one space between words. */
export const withSingleSpaces = (text: string): string => text.replace(blanks, ' ');

/** Returns the letters that a mark after `letter` may combine with, as written and as read. */
export function basesOf(letter: string): readonly number[] {
  if (isAscii(letter)) return letter === '' ? [] : [letter.codePointAt(letter.length - 1)!];
  return [letter, foldText(letter)].flatMap((text) => text.normalize('NFD').codePointAt(0) ?? []);
}

/**
 * Returns the letters that combining marks form with `letter`. Excludes Hangul, whose letters filters do not
 * distinguish.
 */
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

/** Ranges that contain precomposed letters: Latin, Greek, Cyrillic, Arabic, Indic scripts, signs, Kana. */
const composedRanges = [
  ...[[0xc0, 0x233] as const, [0x385, 0x3d4] as const, [0x400, 0x4f9] as const, [0x622, 0x6d3] as const],
  ...[[0x929, 0xddd] as const, [0x1e00, 0x1fff] as const, [0x219a, 0x22ed] as const, [0x304c, 0x30fe] as const],
];
