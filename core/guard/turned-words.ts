/** Recognises reversed and ROT13 words among those that instructions to a model need. */
import { classIds, type WordClass, wordClasses } from './words.ts';

const needed: readonly WordClass[] = [
  ...(['override', 'prior', 'directive', 'rules', 'model', 'user', 'talk', 'secret', 'reveal', 'persona'] as const),
  ...(['argument', 'protection', 'consent'] as const),
];
const leastLetters = 5;

/** Reverses by UTF-16 unit: texts are folded, and these words have only letters of the first plane. */
const backwards = (text: string): string => text.split('').reverse().join('');

const turnedLetter = (letter: string): string => {
  const code = letter.charCodeAt(0);
  const first = code < 97 ? 65 : 97;
  return String.fromCharCode(((code - first + 13) % 26) + first);
};
const rot13 = (text: string): string => text.replace(/[A-Za-z]/g, turnedLetter);

const ways = [
  [(text: string) => backwards(text), (text: string) => text.replace(/[A-Za-z]+/g, backwards)],
  [rot13],
  [(text: string) => backwards(rot13(text))],
] as const;

/** Turned words and how they were turned. */
const turned: ReadonlyMap<string, number> = (() => {
  const ids = new Set(needed.map((name) => classIds[name]));
  const latin = /^[a-z]+$/;
  const words = [...wordClasses].flatMap(([word, classes]) =>
    word.length >= leastLetters && latin.test(word) && classes.some((id) => ids.has(id)) ? [word] : [],
  );
  // The first function of each way also turns words.
  return new Map(
    words.flatMap((word) => ways.map(([turn], way) => [way === 2 ? rot13(backwards(word)) : turn(word), way])),
  );
})();

/** Sketch of first and last letters and lengths, so that few words of a text need a lookup. */
const sketch = new Uint8Array(4_096);
const placeOf = (first: number, last: number, length: number): number =>
  (first * 37 + last * 211 + length * 97) & 4_095;
for (const word of turned.keys())
  sketch[placeOf(word.charCodeAt(0), word.charCodeAt(word.length - 1), word.length)] = 1;

/** Returns how a lower-case word is turned, from 1; 0 for any other word. */
export const turnedWay = (text: string, from: number, end: number): number =>
  end - from >= leastLetters && sketch[placeOf(text.charCodeAt(from), text.charCodeAt(end - 1), end - from)] === 1
    ? (turned.get(text.slice(from, end)) ?? -1) + 1
    : 0;

/** Returns the possible originals of a turned text. */
export const turnedBack = (text: string, way: number): readonly string[] => ways[way - 1]!.map((turn) => turn(text));
