/** Word lists, each written as a single string. */

/** Returns the words of a string, which are separated by spaces or line breaks. */
export const wordSet = (words: string): ReadonlySet<string> =>
  new Set(words.split(/\s+/).filter((word) => word !== ''));
