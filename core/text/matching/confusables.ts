/** Letters and signs that read as ASCII: those of the Unicode data, and a few that it lists under no ASCII character. */
import { lookAlikes } from './unicode-tables.ts';

/**
 * UTS 39 gives each of these another letter as its prototype (small kappa is like ĸ, not like k), or none. Each string lists
 * the look-alikes of the key; where both have a character, this list counts.
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

/** Character to the ASCII text it reads as: one character, or the digits of a number in a circle. */
export const confusables: ReadonlyMap<string, string> = new Map([...pairsOf(lookAlikes), ...pairsOf(besides)]);
