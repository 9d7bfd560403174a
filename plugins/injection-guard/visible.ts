/**
 * The text as seen by a reader, or by a model that decodes it: folded, with references and escapes decoded and the
 * marks inside words removed.
 */
import { foldCode } from './fold';
import { hold, roomFor } from './text';

let from: usize = 0;
let size: i32 = 0;
/** Address of the text being written. */
let room: usize = 0;
let written: i32 = 0;

/**
 * Reads UTF-8. Decodes HTML references, JSON escapes and percent encoding, and removes marks and tags that split a
 * word.
 */
export function see(at: usize, length: i32): void {
  from = at;
  size = length;
  room = roomFor(length);
  written = 0;
  for (let offset = 0; offset < size; ) offset += seeOne(offset);
  hold(written);
}

/** @returns the number of bytes read. */
function seeOne(offset: i32): i32 {
  const first = byte(offset);
  if (first < 0x80) {
    const skipped = first === 0x3c ? inlineTag(offset) : isMark(first) && byte(offset + 1) === first ? 2 : 0;
    if (skipped > 0) return skipped;
    const escaped = first === 0x26 || first === 0x5c || first === 0x25 ? escapeAt(offset, first) : 0;
    if (escaped > 0) return escaped;
    write(first);
    return 1;
  }
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  let code = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    if ((byte(offset + i) & 0xc0) !== 0x80) return broken();
    code = (code << 6) | (byte(offset + i) & 0x3f);
  }
  write(code);
  return length;
}

/** Reads a byte that is not UTF-8. */
function broken(): i32 {
  write(0xfffd);
  return 1;
}

function write(code: i32): void {
  const folded = foldCode(code);
  if (folded === 0) return;
  store<u16>(room + ((<usize>written) << 1), <u16>folded);
  written++;
}

function byte(offset: i32): i32 {
  return offset < size ? <i32>load<u8>(from + <usize>offset) : 0;
}

function isLetterByte(code: i32): bool {
  return ((code | 32) >= 0x61 && (code | 32) <= 0x7a) || code >= 0xc3;
}

/** Matches `**`, `~~` and two backticks. */
function isMark(code: i32): bool {
  return code === 0x2a || code === 0x7e || code === 0x60;
}

/**
 * Returns the length of an inline tag: `<b>`, `<i>`, `<u>`, `<em>`, `<font …>`, `<span …>`, `<strong>`; 0 for others.
 */
function inlineTag(offset: i32): i32 {
  let at = offset + (byte(offset + 1) === 0x2f ? 2 : 1);
  const begin = at;
  while (isLetterByte(byte(at))) at++;
  const first = byte(begin) | 32;
  const length = at - begin;
  const known =
    (length === 1 && (first === 0x62 || first === 0x69 || first === 0x75)) ||
    (length === 2 && first === 0x65 && (byte(begin + 1) | 32) === 0x6d) ||
    (length === 4 && (first === 0x66 || first === 0x73) && (byte(begin + 2) | 32) !== 0x6c) ||
    (length === 6 && first === 0x73 && (byte(begin + 1) | 32) === 0x74);
  if (!known) return 0;
  for (const most = at + 80; at < most; at++) if (byte(at) === 0x3e) return at + 1 - offset;
  return 0;
}

/** Decodes `&#105;`, `\u0069`, `\n` and `%69`; returns 0 if there is no escape. */
function escapeAt(offset: i32, first: i32): i32 {
  const second = byte(offset + 1);
  if (first === 0x26) return second === 0x23 ? reference(offset) : 0;
  if (first === 0x25) {
    const code = hexadecimal(offset + 1, 2);
    if (code < 0x20 || code > 0x7e) return 0;
    write(code);
    return 3;
  }
  if (second === 0x6e || second === 0x72 || second === 0x74) {
    write(0x20);
    write(0x20);
    return 2;
  }
  const code = second === 0x75 ? hexadecimal(offset + 2, 4) : -1;
  if (code < 0) return 0;
  write(code);
  return 6;
}

function reference(offset: i32): i32 {
  const isHex = (byte(offset + 2) | 32) === 0x78;
  let at = offset + (isHex ? 3 : 2);
  let code = 0;
  for (let digits = 0; digits < 7; digits++) {
    const digit = hexadecimal(at, 1);
    if (digit < 0 || (!isHex && digit > 9)) break;
    code = code * (isHex ? 16 : 10) + digit;
    at++;
  }
  if (code === 0 || byte(at) !== 0x3b) return 0;
  write(code);
  return at + 1 - offset;
}

/** Returns the value of hexadecimal digits, or -1 if a character is not one. */
function hexadecimal(offset: i32, digits: i32): i32 {
  let value = 0;
  for (let i = 0; i < digits; i++) {
    const code = byte(offset + i);
    const small = code | 32;
    if (code >= 0x30 && code <= 0x39) value = (value << 4) | (code - 0x30);
    else if (small >= 0x61 && small <= 0x66) value = (value << 4) | (small - 0x57);
    else return -1;
  }
  return value;
}
