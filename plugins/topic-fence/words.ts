/** Lists of words in one table, so that a word of the text is looked up once whatever number of lists there are. */
import { at, lower } from '../shared/bytes';

/** ASCII letters, and every byte of a letter beyond ASCII. */
export function isWordByte(byte: u8): bool {
  const small = lower(byte);
  return (small >= 0x61 && small <= 0x7a) || byte >= 0x80;
}

/** A power of two, four times the number of words that the lists hold or more. */
export const slots = 4096;

const hashes = new StaticArray<u32>(slots);
const lists = new StaticArray<u32>(slots);
const star = 0x2a;

/** FNV-1a, one byte at a time. */
const basis: u32 = 0x811c9dc5;
function mixed(hash: u32, byte: u32): u32 {
  return (hash ^ byte) * 0x01000193;
}

function slotOf(hash: u32): i32 {
  let slot = <i32>(hash & (slots - 1));
  while (hashes[slot] !== 0 && hashes[slot] !== hash) slot = (slot + 1) & (slots - 1);
  return slot;
}

/**
 * @param words words between single spaces, in lower case; one that ends in `*` stands for everything that begins so
 * @param bit of the list, in what `listsWith` answers
 */
export function learn(words: string, bit: u32): void {
  let hash = basis;
  for (let i = 1; i < words.length; i++) {
    const code = <u32>words.charCodeAt(i);
    if (code !== 0x20) hash = mixed(hash, code);
    else {
      const slot = slotOf(hash);
      hashes[slot] = hash;
      lists[slot] |= bit;
      hash = basis;
    }
  }
}

/** Lists that a word stands in, and the slots of its entries: of the whole word, and of the longest beginning that has one. */
export let wholeSlot: i32 = 0;
export let beginningSlot: i32 = 0;

export function listsWith(offset: i32, size: i32): u32 {
  let hash = basis;
  beginningSlot = -1;
  for (let i = 0; i < size; i++) {
    hash = mixed(hash, <u32>lower(at(offset + i)));
    if (i < 2) continue;
    const beginning = slotOf(mixed(hash, star));
    if (hashes[beginning] !== 0) beginningSlot = beginning;
  }
  wholeSlot = slotOf(hash);
  return lists[wholeSlot] | (beginningSlot < 0 ? 0 : lists[beginningSlot]);
}

/** Whether a list holds a whole word. */
export function listHas(list: string, word: string): bool {
  for (let place = 1; place < list.length; place = list.indexOf(' ', place) + 1) {
    let i = 0;
    while (i < word.length && list.charCodeAt(place + i) === word.charCodeAt(i)) i++;
    if (i === word.length && list.charCodeAt(place + i) === 0x20) return true;
  }
  return false;
}
