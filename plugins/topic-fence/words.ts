/** Looks up the words of a text; an entry that ends in `*` matches every word with that prefix. */
import { at, lower } from '../shared/bytes';
import { basis, hashes, lists, mixed, slotOf } from '../shared/word-table';

/** Matches ASCII letters, and every byte of a non-ASCII letter. */
export function isWordByte(byte: u8): bool {
  const small = lower(byte);
  return (small >= 0x61 && small <= 0x7a) || byte >= 0x80;
}

const star = 0x2a;

/**
 * Lists that contain a word, and the slots of its entries: for the whole word, and for its longest prefix with an
 * entry.
 */
export let wholeSlot: i32 = 0;
export let beginningSlot: i32 = 0;

export function listsWith(offset: i32, size: i32): u64 {
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

/** Checks whether a list contains a whole word. */
export function listHas(list: string, word: string): bool {
  for (let place = 1; place < list.length; place = list.indexOf(' ', place) + 1) {
    let i = 0;
    while (i < word.length && list.charCodeAt(place + i) === word.charCodeAt(i)) i++;
    if (i === word.length && list.charCodeAt(place + i) === 0x20) return true;
  }
  return false;
}
