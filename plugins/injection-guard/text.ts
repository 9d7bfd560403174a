/** The text to judge: UTF-16 units, folded and in lower case. */

let start: usize = 0;
let capacity: i32 = 0;
let units: i32 = 0;

/** Allocates a buffer for a text and returns its address. The buffer is reused for the next text. */
export function roomFor(most: i32): usize {
  if (most > capacity) {
    // Memory is never freed: doubling limits the memory left behind to the size of the buffer itself.
    capacity = max(most, max(2 * capacity, 4096));
    start = heap.alloc((<usize>capacity) << 1);
  }
  return start;
}

export function hold(length: i32): void {
  units = length;
}

export function count(): i32 {
  return units;
}

/** Returns a unit; 0 outside the text. */
export function char(at: i32): i32 {
  return at >= 0 && at < units ? <i32>load<u16>(start + ((<usize>at) << 1)) : 0;
}

export function addressOf(at: i32): usize {
  return start + ((<usize>at) << 1);
}

export function isAt(at: i32, word: string): bool {
  for (let i = 0; i < word.length; i++) if (char(at + i) !== word.charCodeAt(i)) return false;
  return true;
}
