/** Restores words that were reversed or written in ROT13. */

/**
 * Reverses the text by UTF-16 units, which is safe because the text is folded and these words only have letters of the
 * first plane.
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
 * @param way the transformation: 1 if words are reversed, 2 for ROT13, 3 for both.
 */
export const turnedBack = (text: string, way: number): readonly string[] => ways[way - 1]!.map((turn) => turn(text));
