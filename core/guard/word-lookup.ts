/** Finds the classes of a word, including spellings with accents, or with digits for letters. */
import { wordClasses } from './words.ts';

export const none: readonly number[] = [];

const letterOfDigit = 'oi\0eas\0t';
/** Returns the letter that a digit represents; other digits are unchanged. */
function asLetter(code: number): number {
  if (code < 48 || code > 55) return code;
  return letterOfDigit.charCodeAt(code - 48) || code;
}

const leastMixed = 4;
const maxMixed = 24;

// biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters are what is looked for
export const accents = /[\u00c0-\u024f\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u1e00-\u1eff\u20d0-\u20ff\ufe20-\ufe2f]/;
const marks = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/** Looks up words with accents (`ígnóré`) or struck-through letters. */
export const unaccented = (word: string): readonly number[] =>
  accents.test(word) ? (wordClasses.get(word.normalize('NFD').replace(marks, '')) ?? none) : none;

/** Sketch of first and last letters and lengths of known words: nine in ten other words need no lookup. */
const sketch = new Uint8Array(8_192);
const sketchOf = (first: number, last: number, length: number): number =>
  (first * 37 + last * 401 + length * 2_003) & 8_191;
for (const word of wordClasses.keys())
  sketch[sketchOf(word.charCodeAt(0), word.charCodeAt(word.length - 1), word.length)] = 1;

export function classesAt(text: string, from: number, end: number): readonly number[] {
  if (end <= from || sketch[sketchOf(text.charCodeAt(from), text.charCodeAt(end - 1), end - from)] !== 1) return none;
  return wordClasses.get(text.slice(from, end)) ?? none;
}

export function classesOf(word: string): readonly number[] {
  const joined =
    word.length > 4 && word.includes("'s") ? wordClasses.get(word.slice(0, word.indexOf("'s"))) : undefined;
  return joined ?? withDigits(word, 0, word.length);
}

/** Looks up words with digits for letters: 1gn0re. */
export function withDigits(text: string, from: number, end: number): readonly number[] {
  const length = end - from;
  if (length < leastMixed || length > maxMixed) return none;
  const [first, last] = [asLetter(text.charCodeAt(from)), asLetter(text.charCodeAt(end - 1))];
  if (sketch[sketchOf(first, last, length)] !== 1) return none;
  let word = '';
  let digits = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    const letter = asLetter(code);
    if (letter !== code) digits++;
    word += String.fromCharCode(letter);
  }
  return digits > 0 && digits < length ? (wordClasses.get(word) ?? none) : none;
}
