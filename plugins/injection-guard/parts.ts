/** Splits `ignoreallpreviousinstructions` into known words, for spelled-out letters without gaps between the words. */
import { isWord } from './words';

const most: i32 = 1024;
const maxWord: i32 = 16;
const cost = new StaticArray<i32>(most + 1);
const from = new StaticArray<i32>(most + 1);
/** Twice the length, because a space may follow each letter. */
const parts = heap.alloc(4 * most);

export function partUnits(at: i32): i32 {
  return <i32>load<u16>(partStart(at));
}

export function partStart(at: i32): usize {
  return parts + ((<usize>at) << 1);
}

/**
 * Finds the split with the fewest letters outside known words and then the fewest words, and writes it to
 * `partStart(0)`.
 * @param length number of lower-case letters; those after the first 1024 are ignored.
 * @returns the length of the split.
 */
export function partsOf(letters: usize, length: i32): i32 {
  const count = min(length, most);
  for (let end = 1; end <= count; end++) {
    // A letter that belongs to an unknown word.
    cost[end] = cost[end - 1] + 10;
    from[end] = end - 1;
    for (let start = max(0, end - maxWord); start <= end - 2; start++) {
      const each = cost[start] + 1;
      if (each >= cost[end] || !isWord(letters + ((<usize>start) << 1), end - start)) continue;
      cost[end] = each;
      from[end] = start;
    }
  }
  return write(letters, count);
}

/** Writes the words in order. The letters of unknown words stay together. */
function write(letters: usize, count: i32): i32 {
  // Reverses the links, using `cost`, which is no longer needed.
  for (let end = count; end > 0; end = from[end]) cost[from[end]] = end;
  let length = 0;
  let isLetter = false;
  for (let start = 0; start < count; ) {
    const end = cost[start];
    if (start > 0 && !(isLetter && end - start === 1)) store<u16>(partStart(length++), 0x20);
    isLetter = end - start === 1;
    for (; start < end; start++) store<u16>(partStart(length++), load<u16>(letters + ((<usize>start) << 1)));
  }
  cost[0] = 0;
  return length;
}
