/** Characters that look like ASCII: those listed in the Unicode data, and a few that the data does not map to ASCII. */
import { lookAlikes } from './unicode-tables.ts';

/**
 * Look-alikes, by key, that UTS 39 either maps to another letter (small kappa to ĸ rather than k) or does not map at
 * all. This list takes precedence.
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

/** Characters mapped to the ASCII text they look like: one character, or the digits of a circled number. */
export const confusables: ReadonlyMap<string, string> = new Map([...pairsOf(lookAlikes), ...pairsOf(besides)]);
