/**
 * Splits `ignoreallpreviousinstructions` into words known to the rules, for spelled-out letters without gaps between
 * words.
 */
import { wordClasses } from './words.ts';

const maxWord = 16;

/** Returns the split with the fewest letters outside of known words, then with the fewest words; in lower case. */
export function partedWords(letters: string): string {
  const text = letters.toLowerCase();
  const cost = [0];
  const from: number[] = [0];
  for (let end = 1; end <= text.length; end++) {
    // A letter of an unknown word.
    cost[end] = cost[end - 1]! + 10;
    from[end] = end - 1;
    for (let start = Math.max(0, end - maxWord); start <= end - 2; start++) {
      const each = cost[start]! + 1;
      if (each >= cost[end]! || !wordClasses.has(text.slice(start, end))) continue;
      cost[end] = each;
      from[end] = start;
    }
  }
  const words: string[] = [];
  for (let end = text.length; end > 0; end = from[end]!) words.push(text.slice(from[end]!, end));
  return words
    .reverse()
    .join(' ')
    .replace(/\b(\w) (?=\w\b)/g, '$1');
}
