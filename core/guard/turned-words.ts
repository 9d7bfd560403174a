/** Words written backwards, and words whose letters are turned by thirteen places (ROT13), by those that orders to a model need. */
import { classIds, type WordClass, wordClasses } from './words.ts';

const needed: readonly WordClass[] = [
  ...(['override', 'prior', 'directive', 'rules', 'model', 'user', 'talk', 'secret', 'reveal', 'persona'] as const),
  ...(['argument', 'protection', 'consent'] as const),
];
const leastLetters = 5;

/** Unit by unit: texts are folded, and these words have letters of the first plane only. */
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

/** Each with the way it was turned. */
const turned: ReadonlyMap<string, number> = (() => {
  const ids = new Set(needed.map((name) => classIds[name]));
  const latin = /^[a-z]+$/;
  const words = [...wordClasses].flatMap(([word, classes]) =>
    word.length >= leastLetters && latin.test(word) && classes.some((id) => ids.has(id)) ? [word] : [],
  );
  // The first reading of a way also turns a word.
  return new Map(
    words.flatMap((word) => ways.map(([turn], way) => [way === 2 ? rot13(backwards(word)) : turn(word), way])),
  );
})();

/** Which first and last letters and lengths they have: hardly a word of a text needs a look-up. */
const sketch = new Uint8Array(4_096);
const placeOf = (first: number, last: number, length: number): number =>
  (first * 37 + last * 211 + length * 97) & 4_095;
for (const word of turned.keys())
  sketch[placeOf(word.charCodeAt(0), word.charCodeAt(word.length - 1), word.length)] = 1;

/** The way in which a word in lower case is turned, from 1; 0 for any other word. */
export const turnedWay = (text: string, from: number, end: number): number =>
  end - from >= leastLetters && sketch[placeOf(text.charCodeAt(from), text.charCodeAt(end - 1), end - from)] === 1
    ? (turned.get(text.slice(from, end)) ?? -1) + 1
    : 0;

/** A text with a word that is turned in that way, turned back. */
export const turnedBack = (text: string, way: number): readonly string[] => ways[way - 1]!.map((turn) => turn(text));
