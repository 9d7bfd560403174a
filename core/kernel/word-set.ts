/** Lists of words, written as one text. */

/** Returns the words of a text, which blanks and line breaks separate. */
export const wordSet = (words: string): ReadonlySet<string> =>
  new Set(words.split(/\s+/).filter((word) => word !== ''));
