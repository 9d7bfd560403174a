/** Word lists in one table, so that each word of the text is looked up once regardless of the number of lists. */

/** Table size: a power of two, at least four times the number of words in the lists. */
export const slots = 4096;

export const hashes = new StaticArray<u32>(slots);
export const lists = new StaticArray<u64>(slots);

/** Offset basis of FNV-1a, which processes one byte or one character at a time. */
export const basis: u32 = 0x811c9dc5;
export function mixed(hash: u32, code: u32): u32 {
  return (hash ^ code) * 0x01000193;
}

export function slotOf(hash: u32): i32 {
  let slot = <i32>(hash & (slots - 1));
  while (hashes[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & (slots - 1);
  return slot;
}

/** Puts a word into a list. */
export function enter(hash: u32, bit: u64): void {
  const slot = slotOf(hash);
  hashes[slot] = hash;
  lists[slot] |= bit;
}

/**
 * @param words lower-case words separated by single spaces, with a space at both ends
 * @param bit the list's bit in `lists`
 */
export function learn(words: string, bit: u64): void {
  let hash = basis;
  for (let i = 1; i < words.length; i++) {
    const code = <u32>words.charCodeAt(i);
    if (code !== 0x20) hash = mixed(hash, code);
    else {
      enter(hash, bit);
      hash = basis;
    }
  }
}
