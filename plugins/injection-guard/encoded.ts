/**
 * Unbroken runs of base64, base32, hexadecimal or binary digits whose bytes are text. Alphabets and minimum lengths are
 * those of `core/text/decode`, from which the tables are generated.
 */
import { sextet } from '../shared/bytes';
import {
  anyBase32,
  characterKinds,
  isBase32,
  isBase32Lower,
  isBinary,
  isDecimal,
  isHexadecimal,
  isJoint,
  leastBase32,
  leastBinary,
  leastHexadecimal,
  leastLine,
  leastReadable,
  leastUnbroken,
} from './tables';

/** Address of the bytes of the last decoded part. */
export let decodedAt: usize = 0;
export let decodedLength: i32 = 0;

/** One buffer for decoded bytes per nesting depth of encodings. */
const rooms = new StaticArray<usize>(4);
const sizes = new StaticArray<i32>(4);

/** Finds the next run that decodes to text. @returns the offset after it, or -1. */
export function nextEncoded(start: usize, length: i32, from: i32, depth: i32): i32 {
  for (let at = from; at < length; ) {
    if (kindOf(start, at, length) === 0) {
      at++;
      continue;
    }
    let end = runEnd(start, at, length);
    if (end - at >= leastLine) end = linesEnd(start, end, length);
    const isRead = end - at >= leastLine || (end - at >= leastUnbroken && !isWord(start, at, end));
    if (isRead && decode(start + <usize>at, end - at, depth)) return end;
    at = end;
  }
  return -1;
}

function kindOf(start: usize, at: i32, length: i32): i32 {
  const byte = at < length ? <i32>load<u8>(start + <usize>at) : 128;
  return byte < 128 ? <i32>unchecked(characterKinds[byte]) : 0;
}

function runEnd(start: usize, from: i32, length: i32): i32 {
  let end = from;
  while (kindOf(start, end, length) !== 0) end++;
  return end;
}

/** Returns the end of a run that continues on the following lines. */
function linesEnd(start: usize, from: i32, length: i32): i32 {
  let end = from;
  for (let next = lineAfter(start, end, length); next > 0; next = lineAfter(start, end, length)) {
    const nextEnd = runEnd(start, next, length);
    if (nextEnd - next < leastLine) return end;
    end = nextEnd;
  }
  return end;
}

/** Returns the beginning of the next line, or 0 if the current line continues. */
function lineAfter(start: usize, at: i32, length: i32): i32 {
  const next = at < length && load<u8>(start + <usize>at) === 0x0d ? at + 1 : at;
  return next < length && load<u8>(start + <usize>next) === 0x0a ? next + 1 : 0;
}

/** Reports whether a short run contains neither a digit nor an inner capital letter. */
function isWord(start: usize, from: i32, end: i32): bool {
  let any = 0;
  let hasInnerCapital = false;
  for (let at = from; at < end; at++) {
    any |= kindOf(start, at, end) & ~isJoint;
    const before = at > from ? kindOf(start, at - 1, end) : 0;
    const kind = kindOf(start, at, end);
    if (isSmall(before) && isCapital(kind)) hasInnerCapital = true;
    if (at > from + 1 && isCapital(kindOf(start, at - 2, end)) && isCapital(before) && isSmall(kind))
      hasInnerCapital = true;
  }
  return (any & isDecimal) === 0 && ((any & anyBase32) !== anyBase32 || !hasInnerCapital);
}

function isSmall(kind: i32): bool {
  return (kind & isBase32Lower) !== 0 && (kind & isDecimal) === 0;
}

function isCapital(kind: i32): bool {
  return (kind & isBase32) !== 0 && (kind & isDecimal) === 0;
}

function decode(at: usize, size: i32, depth: i32): bool {
  decodedAt = roomFor(size, depth);
  let common = 0xff;
  let signs = 0;
  for (let i = 0; i < size; i++) {
    const byte = load<u8>(at + <usize>i);
    if (byte === 0x0a || byte === 0x0d) continue;
    signs++;
    if (byte !== 0x3d) common &= kindOf(at, i, size);
  }
  if ((common & isBinary) !== 0 && signs >= leastBinary)
    return fromBits(at, size, signs % 8 === 0 || signs % 7 !== 0 ? 8 : 7, 1);
  if ((common & isHexadecimal) !== 0 && signs >= leastHexadecimal && fromBits(at, size, 8, 4)) return true;
  return fromStretch(at, size) || fromBits(at, size, 8, 6);
}

function roomFor(size: i32, depth: i32): usize {
  if (size > sizes[depth]) {
    sizes[depth] = size;
    rooms[depth] = heap.alloc(<usize>sizes[depth]);
  }
  return rooms[depth];
}

/** Decodes the first long stretch of base32 in one case. */
function fromStretch(at: usize, size: i32): bool {
  let stretch = anyBase32;
  let from = 0;
  let signs = 0;
  for (let i = 0; i <= size; i++) {
    const byte = i < size ? load<u8>(at + <usize>i) : 0x3d;
    if (byte === 0x0a || byte === 0x0d) continue;
    const kind = kindOf(at, i, size) & anyBase32;
    if ((stretch & kind) !== 0) {
      stretch &= kind;
      signs++;
      continue;
    }
    if (signs >= leastBase32) return fromBits(at + <usize>from, i - from, 8, 5);
    from = kind !== 0 ? i : i + 1;
    signs = kind !== 0 ? 1 : 0;
    stretch = kind !== 0 ? kind : anyBase32;
  }
  return false;
}

/** Decodes digits of `bits` bits each as bytes of the given width, up to the first padding. */
function fromBits(at: usize, size: i32, width: i32, bits: i32): bool {
  let held: u32 = 0;
  let count = 0;
  decodedLength = 0;
  for (let i = 0; i < size; i++) {
    const byte = load<u8>(at + <usize>i);
    if (byte === 0x3d && bits > 4) break;
    const value = digitValue(byte, bits);
    if (value < 0) continue;
    held = (held << bits) | <u32>value;
    count += bits;
    if (count < width) continue;
    count -= width;
    store<u8>(decodedAt + <usize>decodedLength, <u8>((held >>> count) & ((1 << width) - 1)));
    decodedLength++;
  }
  return isReadable();
}

function digitValue(byte: u8, bits: i32): i32 {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const small = byte | 32;
  const letter = small >= 0x61 && small <= 0x7a ? <i32>small - 0x61 : -1;
  if (bits === 6) return sextet(byte);
  if (bits === 5) return isDigit ? <i32>byte - 24 : letter;
  return isDigit ? <i32>byte - 0x30 : letter < 0 ? -1 : letter + 10;
}

/** Reports whether the bytes contain words, even among other bytes; digests and images do not. */
function isReadable(): bool {
  let run = 0;
  let strange = 0;
  let broken = -1;
  let follows = 0;
  for (let i = 0; i < decodedLength; i++) {
    const byte = load<u8>(decodedAt + <usize>i);
    run = byte >= 32 && byte < 127 ? run + 1 : 0;
    if (run >= leastReadable) return true;
    if (i < 48 && (byte < 9 || (byte > 13 && byte < 32) || byte === 127)) strange++;
    const isNext = (byte & 0xc0) === 0x80;
    if (broken < 0 && (isNext !== follows > 0 || byte >= 0xf5 || byte === 0xc0 || byte === 0xc1)) broken = i;
    if (isNext) follows--;
    else follows = byte < 0xc2 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
  return decodedLength > 0 && strange === 0 && (broken < 0 || broken >= decodedLength - 3);
}
