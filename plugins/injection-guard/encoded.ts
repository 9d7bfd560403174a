/** Runs of base 64 and of hexadecimal digits whose bytes are a text. */

/** The bytes of the last part that was decoded. */
export let decodedAt: usize = 0;
export let decodedLength: i32 = 0;

const least = 24;

/** @returns the offset behind the next run that decodes to a text, which is then in `decodedAt`; -1 when there is none. */
export function nextEncoded(start: usize, length: i32, from: i32): i32 {
  for (let offset = from; offset < length; ) {
    let end = offset;
    let hex = true;
    while (end < length) {
      const value = sextet(load<u8>(start + <usize>end));
      if (value < 0) break;
      hex = hex && hexDigit(load<u8>(start + <usize>end)) >= 0;
      end++;
    }
    const size = end - offset;
    if (size >= least && (hex ? fromHex(start + <usize>offset, size) : fromBase64(start + <usize>offset, size)))
      return end;
    offset = end + 1;
  }
  return -1;
}

function fromHex(at: usize, size: i32): bool {
  decodedAt = heap.alloc(<usize>(size >> 1));
  decodedLength = size >> 1;
  for (let i = 0; i < decodedLength; i++) {
    const high = hexDigit(load<u8>(at + <usize>(i << 1)));
    store<u8>(decodedAt + <usize>i, <u8>((high << 4) | hexDigit(load<u8>(at + <usize>(i << 1) + 1))));
  }
  return isText();
}

function fromBase64(at: usize, size: i32): bool {
  decodedAt = heap.alloc(<usize>size);
  decodedLength = 0;
  let bits: u32 = 0;
  for (let i = 0; i < size; i++) {
    bits = (bits << 6) | <u32>sextet(load<u8>(at + <usize>i));
    if ((i & 3) === 0) continue;
    store<u8>(decodedAt + <usize>decodedLength, <u8>(bits >>> (6 - 2 * (i & 3))));
    decodedLength++;
    // Numbers and pictures show themselves soon.
    if (decodedLength === 16 && !isText()) return false;
  }
  return isText();
}

/** Nine of ten bytes are printable ASCII or white space, or parts of letters beyond it. */
function isText(): bool {
  let printable = 0;
  for (let i = 0; i < decodedLength; i++) {
    const byte = load<u8>(decodedAt + <usize>i);
    if ((byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d || byte === 0x09) printable++;
  }
  return printable * 10 >= decodedLength * 9;
}

function hexDigit(byte: u8): i32 {
  const small = byte | 32;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** Of both alphabets of base 64; -1 for other bytes. */
function sextet(byte: u8): i32 {
  if (byte >= 0x61 && byte <= 0x7a) return byte - 0x61 + 26;
  if (byte >= 0x41 && byte <= 0x5a) return byte - 0x41;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30 + 52;
  if (byte === 0x2b || byte === 0x2d) return 62;
  return byte === 0x2f || byte === 0x5f ? 63 : -1;
}
