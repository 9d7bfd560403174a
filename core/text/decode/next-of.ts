/** Where a needle stands next. Asked for growing positions, the whole search reads a text once. */
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
