/** Finds the part that differs between two texts, in whole words. */

/** Returns the number of equal characters at the start, and at the end of the rest. */
export function changedPart(before: string, after: string): { readonly start: number; readonly end: number } {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  if (start < before.length || start < after.length) while (start > 0 && inWord(before, after, start)) start--;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  while (end > 0 && inWord(before, after, undefined, end)) end--;
  return { start, end };
}

const isWord = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

/** Checks whether the cut would split a word in either text. */
function inWord(before: string, after: string, start: number | undefined, end = 0): boolean {
  return [before, after].some((text) => {
    const at = start ?? text.length - end;
    return isWord(text[at - 1]) && isWord(text[at]);
  });
}
