/** Bytes of a UTF-8 text, read by offset; 0 outside the text. */

let start: usize = 0;
let size: i32 = 0;

export function readFrom(at: i32, length: i32): void {
  start = <usize>at;
  size = length;
}

export function length(): i32 {
  return size;
}

export function at(offset: i32): u8 {
  return offset >= 0 && offset < size ? load<u8>(start + <usize>offset) : 0;
}

export function isDigit(byte: u8): bool {
  return byte >= 0x30 && byte <= 0x39;
}

export function isUpper(byte: u8): bool {
  return byte >= 0x41 && byte <= 0x5a;
}

export function isLower(byte: u8): bool {
  return byte >= 0x61 && byte <= 0x7a;
}

export function isAlphanumeric(byte: u8): bool {
  return isDigit(byte) || isUpper(byte) || isLower(byte);
}

/** Matches letters, digits, `-` and `_`: the base64url alphabet, which most tokens use. */
export function isTokenByte(byte: u8): bool {
  return isAlphanumeric(byte) || byte === 0x2d || byte === 0x5f;
}

/** Checks whether an ASCII word is at this offset. */
export function standsAt(offset: i32, word: string): bool {
  for (let i = 0; i < word.length; i++) if (<i32>at(offset + i) !== word.charCodeAt(i)) return false;
  return true;
}

/** Checks whether an ASCII word occurs between `from` and `to`, ignoring case. */
export function holds(from: i32, to: i32, lowerCaseWord: string): bool {
  for (let offset = from; offset + lowerCaseWord.length <= to; offset++) {
    let i = 0;
    while (i < lowerCaseWord.length && <i32>lower(at(offset + i)) === lowerCaseWord.charCodeAt(i)) i++;
    if (i === lowerCaseWord.length) return true;
  }
  return false;
}

export function lower(byte: u8): u8 {
  return isUpper(byte) ? byte + 32 : byte;
}

/** Counts the token bytes from an offset on. */
export function tokenLength(offset: i32): i32 {
  let end = offset;
  while (isTokenByte(at(end))) end++;
  return end - offset;
}

/** Counts the letters and digits from an offset on. */
export function alphanumericLength(offset: i32): i32 {
  let end = offset;
  while (isAlphanumeric(at(end))) end++;
  return end - offset;
}

/** Returns the value of a base64 character in either alphabet; -1 for other bytes. */
export function sextet(byte: u8): i32 {
  if (isLower(byte)) return byte - 0x61 + 26;
  if (isUpper(byte)) return byte - 0x41;
  if (isDigit(byte)) return byte - 0x30 + 52;
  if (byte === 0x2b || byte === 0x2d) return 62;
  return byte === 0x2f || byte === 0x5f ? 63 : -1;
}
