/** Characters that look like ASCII: those of the Unicode data, and a few that it does not map to ASCII. */
import { lookAlikes } from './unicode-tables.ts';

/**
 * Look-alikes of each key that UTS 39 maps to another letter (small kappa to ĸ, not to k) or to none. This list takes
 * precedence.
 */
const besides: Readonly<Record<string, string>> = {
  b: 'ь',
  i: 'ⲓ',
  j: 'յȷ',
  k: 'кκ',
  l: 'ӏ',
  m: 'ⅿ',
  n: 'пη',
  o: 'ഠ',
  t: 'τ',
  x: 'χ',
  z: 'ʐ',
  I: 'Ꮖꓲ',
  L: 'Լ',
  '-': '—―',
  '.': '。',
  _: 'ˍ',
  ':': '׃',
  '*': '٭',
  '|': '∣⏐',
  '"': '“”″‟',
};

const pairsOf = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).flatMap(([ascii, others]) => [...others].map((other) => [other, ascii] as const));

/** Maps a character to the ASCII text it looks like: one character, or the digits of a circled number. */
export const confusables: ReadonlyMap<string, string> = new Map([...pairsOf(lookAlikes), ...pairsOf(besides)]);
