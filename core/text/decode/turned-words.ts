/** Restores words that were reversed or encoded with ROT13. */

/**
 * Reverses the text by UTF-16 units. This is safe because the text is folded, and these words only contain letters of
 * the Basic Multilingual Plane.
 */
const backwards = (text: string): string => text.split('').reverse().join('');

const turnedLetter = (letter: string): string => {
  const code = letter.charCodeAt(0);
  const first = code < 97 ? 65 : 97;
  return String.fromCharCode(((code - first + 13) % 26) + first);
};
const rot13 = (text: string): string => text.replace(/[A-Za-z]/g, turnedLetter);

const ways = [
  [backwards, (text: string) => text.replace(/[A-Za-z]+/g, backwards)],
  [rot13],
  [(text: string) => backwards(rot13(text))],
] as const;

/**
 * Returns the possible originals of a text.
 * @param way the transformation to undo: 1 for reversed words, 2 for ROT13, 3 for both.
 */
export const turnedBack = (text: string, way: number): readonly string[] => ways[way - 1]!.map((turn) => turn(text));
