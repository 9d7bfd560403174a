/**
 * Looks up the classes of a word, including spellings with accents or with digits for letters, reversed words and
 * ROT13.
 */
import { harmlessEnds, plainLetters, secretEnds, secretFiles, turnedClasses, words } from './tables';

/** Hash table size: a power of two that is more than twice the number of words. */
const slots: i32 = 8192;
const mostEntries: i32 = 6144;
/** Classes of file names, numbered above those of words. */
const secretFile: i32 = 253;
const secretEnd: i32 = 254;
const harmlessEnd: i32 = 255;

const firstEntry = new StaticArray<u16>(slots);
const hashes = new StaticArray<u32>(mostEntries);
const addresses = new StaticArray<usize>(mostEntries);
const lengths = new StaticArray<u8>(mostEntries);
const classIds = new StaticArray<u8>(mostEntries);
const nextEntries = new StaticArray<u16>(mostEntries);
let entries: i32 = 1;

for (let id = 0; id < words.length; id++) learn(words[id], id);
learn(secretFiles, secretFile);
learn(secretEnds, secretEnd);
learn(harmlessEnds, harmlessEnd);

function learn(list: string, id: i32): void {
  const start = changetype<usize>(list);
  let from = 0;
  for (let at = 0; at <= list.length; at++) {
    if (at < list.length && list.charCodeAt(at) !== 0x20) continue;
    if (at > from) enter(start + ((<usize>from) << 1), at - from, id);
    from = at + 1;
  }
}

function enter(word: usize, length: i32, id: i32): void {
  const hash = hashOf(word, length);
  hashes[entries] = hash;
  addresses[entries] = word;
  lengths[entries] = <u8>length;
  classIds[entries] = <u8>id;
  const known = entryOf(word, length);
  if (known === 0) firstEntry[freeSlot(hash)] = <u16>entries;
  else {
    let last = known;
    while (nextEntries[last] !== 0) last = <i32>nextEntries[last];
    nextEntries[last] = <u16>entries;
  }
  entries++;
}

function freeSlot(hash: u32): i32 {
  let slot = <i32>(hash & (slots - 1));
  while (firstEntry[slot] !== 0) slot = (slot + 1) & (slots - 1);
  return slot;
}

/** Hashes UTF-16 units with FNV-1a. */
function hashOf(word: usize, length: i32): u32 {
  let hash: u32 = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = (hash ^ <u32>load<u16>(word + ((<usize>i) << 1))) * 0x01000193;
  return hash;
}

/** Returns the first entry of a word that has a class, or 0. `next` returns the others. */
export function find(word: usize, length: i32): i32 {
  const entry = entryOf(word, length);
  return entry !== 0 && classOf(entry) < secretFile ? entry : 0;
}

function entryOf(word: usize, length: i32): i32 {
  const hash = hashOf(word, length);
  let slot = <i32>(hash & (slots - 1));
  let entry = <i32>unchecked(firstEntry[slot]);
  while (entry !== 0 && !isAt(entry, hash, word, length)) {
    slot = (slot + 1) & (slots - 1);
    entry = <i32>unchecked(firstEntry[slot]);
  }
  return entry;
}

function isAt(entry: i32, hash: u32, word: usize, length: i32): bool {
  return (
    unchecked(hashes[entry]) === hash &&
    <i32>unchecked(lengths[entry]) === length &&
    memory.compare(unchecked(addresses[entry]), word, (<usize>length) << 1) === 0
  );
}

/** Returns the next entry of the same word, or 0. */
export function next(entry: i32): i32 {
  const following = <i32>unchecked(nextEntries[entry]);
  return classOf(following) < secretFile ? following : 0;
}

export function classOf(entry: i32): i32 {
  return <i32>unchecked(classIds[entry]);
}

export function isWord(word: usize, length: i32): bool {
  return find(word, length) !== 0;
}

const scratch = heap.alloc(128);
const mostScratch: i32 = 48;

function unit(word: usize, at: i32): i32 {
  return <i32>load<u16>(word + ((<usize>at) << 1));
}

function put(at: i32, code: i32): void {
  store<u16>(scratch + ((<usize>at) << 1), <u16>code);
}

const leastMixed: i32 = 4;
const mostMixed: i32 = 24;

/** Finds `1gn0re`. */
export function withDigits(word: usize, length: i32): i32 {
  if (length < leastMixed || length > mostMixed) return 0;
  let digits = 0;
  for (let i = 0; i < length; i++) {
    const code = unit(word, i);
    const letter = letterOf(code);
    if (letter !== code) digits++;
    put(i, letter);
  }
  return digits > 0 && digits < length ? find(scratch, length) : 0;
}

const letters = 'oi2eas6t';
function letterOf(code: i32): i32 {
  return code >= 0x30 && code <= 0x37 ? letters.charCodeAt(code - 0x30) : code;
}

/** Finds a word with accents or struck-through letters: `ígnóré`. */
export function unaccented(word: usize, length: i32): i32 {
  if (length > mostScratch) return 0;
  let kept = 0;
  let changed = false;
  for (let i = 0; i < length; i++) {
    const code = unit(word, i);
    const plain = isMark(code) ? 0 : plainLetter(code);
    if (plain !== code) changed = true;
    if (plain !== 0) put(kept++, plain);
  }
  return changed ? find(scratch, kept) : 0;
}

function plainLetter(code: i32): i32 {
  if (code >= 0xc0 && code <= 0x24f) return plainLetters.charCodeAt(code - 0xc0);
  return code >= 0x1e00 && code <= 0x1eff ? plainLetters.charCodeAt(code - 0x1e00 + 0x190) : code;
}

/** Matches combining marks. */
export function isMark(code: i32): bool {
  return (
    (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x1ab0 && code <= 0x1aff) ||
    (code >= 0x1dc0 && code <= 0x1dff) ||
    (code >= 0x20d0 && code <= 0x20ff) ||
    (code >= 0xfe20 && code <= 0xfe2f)
  );
}

const leastTurned: i32 = 5;

/** Returns how a word is turned: 1 reversed, 2 ROT13, 3 both; 0 if it is not. */
export function turnedWay(word: usize, length: i32): i32 {
  if (length < leastTurned || length > mostMixed) return 0;
  for (let i = 0; i < length; i++) if (unit(word, i) < 0x61 || unit(word, i) > 0x7a) return 0;
  for (let way = 3; way > 0; way--) {
    for (let i = 0; i < length; i++) {
      const code = unit(word, way === 2 ? i : length - 1 - i);
      put(i, way === 1 ? code : ((code - 0x61 + 13) % 26) + 0x61);
    }
    for (let entry = find(scratch, length); entry !== 0; entry = next(entry))
      if (turnedClasses[classOf(entry)]) return way;
  }
  return 0;
}

/** Reports whether a word in prose is the path or name of a secret file. */
export function namesSecretFile(word: usize, length: i32): bool {
  if (isMember(word, length)) return false;
  let found = false;
  for (let from = 0; from < length; from++) {
    const before = from > 0 ? unit(word, from - 1) : 0x2f;
    if (isNameUnit(before) && before !== 0x5f && unit(word, from) !== 0x2e) continue;
    for (let end = from + 3; end <= length; end++) {
      if (end < length && isNameUnit(unit(word, end))) continue;
      for (let entry = entryOf(word + ((<usize>from) << 1), end - from); entry !== 0; entry = <i32>nextEntries[entry]) {
        if (classOf(entry) === harmlessEnd && (end === length || (from === 0 && unit(word, end) === 0x2e)))
          return false;
        if (classOf(entry) === secretEnd || (classOf(entry) === secretFile && before === 0x2f)) found = true;
      }
    }
  }
  return found;
}

function isNameUnit(code: i32): bool {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
}

/** Matches members such as `event.key` and `ctx.env`. */
function isMember(word: usize, length: i32): bool {
  if (length < 5 || unit(word, length - 4) !== 0x2e || unit(word, 0) === 0x2e) return false;
  const key = unit(word, length - 3) === 0x6b && unit(word, length - 2) === 0x65 && unit(word, length - 1) === 0x79;
  const env = unit(word, length - 3) === 0x65 && unit(word, length - 2) === 0x6e && unit(word, length - 1) === 0x76;
  if (!key && !env) return false;
  for (let i = 0; i < length; i++)
    if (!isNameUnit(unit(word, i)) && unit(word, i) !== 0x2e && unit(word, i) !== 0x24) return false;
  return true;
}
