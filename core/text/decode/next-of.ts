/**
 * Returns a function that finds the next occurrence of a needle. If positions only increase, the text is scanned just
 * once in total.
 */
export function nextOf(text: string, needle: string): (from: number) => number {
  let known = -1;
  return (from) => {
    if (known !== Infinity && known < from) {
      const found = text.indexOf(needle, from);
      known = found < 0 ? Infinity : found;
    }
    return known;
  };
}
