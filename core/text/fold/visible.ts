/**
 * Normalises text for filters using the engine's Unicode data: removes invisible characters or treats them as blanks,
 * and converts digits in all scripts to ASCII [content.every-text].
 */
import { folding } from '#core/text/matching/fold-unicode.ts';
import { blanks } from '#core/text/matching/unicode-tables.ts';

/** Control characters that are not white space. Terminals and pages do not show them. */
export const controls = String.raw`\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f`;

const beyondPlain = /[^\t-\r -~]/;
/** Checks that a text has only characters that need no folding. */
export const isPlain = (text: string): boolean => !beyondPlain.test(text);

const special = new RegExp(`[${controls}${blanks}\\u0085\\u1680\\u2028\\u2029[\\p{Nd}--[0-9]]]`, 'gv');
const digit = /\p{Nd}/u;

/** Checks whether the results of `foldText` and `foldUnicode` may differ for a text. */
export function hasSpecial(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isPair = unit >= 0xd800 && unit < 0xdc00;
    if (isSpecial(isPair ? text.codePointAt(at)! : unit)) return true;
  }
  return false;
}

/** Cache by code point: 1 for normal, 2 for special, 0 for unknown. Higher planes have no special characters. */
const kinds = new Uint8Array(0x2_0000);

function isSpecial(code: number): boolean {
  if (code >= kinds.length) return false;
  if (kinds[code] === 0) kinds[code] = String.fromCodePoint(code).search(special) < 0 ? 1 : 2;
  return kinds[code] === 2;
}

/** Folds text, letter by letter, into what a reader sees. */
export const foldText = (written: string): string => (isPlain(written) ? written : foldVisible(written));

const foldVisible = folding((part) => part.replace(special, plainFor));

function plainFor(char: string): string {
  if (digit.test(char)) return `${digitValue(char.codePointAt(0)!)}`;
  if (char === '\u2028' || char === '\u2029' || char === '\u0085') return '\n';
  return char <= '\u009f' ? '' : ' ';
}

/** Returns the value of a digit. Digits form runs from 0 to 9; the mathematical digits are five such runs in a row. */
function digitValue(code: number): number {
  let first = code;
  while (first > 0 && digit.test(String.fromCodePoint(first - 1))) first--;
  return (code - first) % 10;
}

/** Hyphenation hints and joiners, which never mean a blank. */
const hyphens = new Set(['\u00ad', '\u034f']);
const silent = new RegExp(`[\\p{Default_Ignorable_Code_Point}\\p{Cf}${controls}]`, 'gu');
const tag = { first: 0xe0020, last: 0xe007e, offset: 0xe0000 } as const;

/**
 * Yields possible meanings of invisible characters: a blank between words or, for tag characters, the letters that they
 * represent. Either may be missing.
 */
export function* silentReadings(written: string): Iterable<string> {
  let wasBlank = false;
  for (const [char] of written.matchAll(silent)) {
    if (!wasBlank && !hyphens.has(char)) {
      wasBlank = true;
      yield ' ';
    }
    const code = char.codePointAt(0)!;
    if (code >= tag.first && code <= tag.last) yield String.fromCharCode(code - tag.offset);
  }
}

/** Removes invisible characters. */
export const withoutSilent = (text: string): string => text.replace(silent, '');

export const hasSilent = (text: string): boolean => text.search(silent) >= 0;

/** Returns the positions of invisible characters. */
export function* invisiblePlaces(text: string): Iterable<number> {
  for (const { index } of text.matchAll(silent)) yield index;
}
