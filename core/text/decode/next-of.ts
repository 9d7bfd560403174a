/** Returns a function that finds the next needle. With ascending positions, it scans the text once in total. */
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
