/** Credentials that are documents: their encoding is decoded as far as needed to distinguish them from examples. */
import { at, isAlphanumeric, isTokenByte, isUpper, sextet, standsAt, tokenLength } from '../shared/bytes';
import { isRandom, isVaried } from './random';

/** Checks that header and claims decode to JSON objects, the header names an algorithm, and there is a signature. */
export function isJsonWebToken(offset: i32): bool {
  if (!standsAt(offset, 'eyJ')) return false;
  const header = tokenLength(offset);
  const claims = offset + header + 1;
  const claimsLength = tokenLength(claims);
  const signature = claims + claimsLength + 1;
  if (header > 2000 || at(claims - 1) !== 0x2e || at(signature - 1) !== 0x2e) return false;
  const size = tokenLength(signature);
  if (size < 32 || !isRandom(signature, min(size, 200))) return false;
  return isObject(offset, header) && isObject(claims, claimsLength) && namesAlgorithm(offset, header);
}

/** Matches `{"…` at the beginning and `}` at the end. */
function isObject(offset: i32, size: i32): bool {
  const bytes = (size * 3) / 4;
  return (
    size >= 12 && decoded(offset, 0) === 0x7b && decoded(offset, 1) === 0x22 && decoded(offset, bytes - 1) === 0x7d
  );
}

function namesAlgorithm(offset: i32, size: i32): bool {
  const name = '"alg"';
  for (let from = 0; from + name.length <= (size * 3) / 4; from++) {
    let i = 0;
    while (i < name.length && <i32>decoded(offset, from + i) === name.charCodeAt(i)) i++;
    if (i === name.length) return true;
  }
  return false;
}

/** Returns a byte of a decoded base64url text, by its index in the decoded bytes. */
function decoded(offset: i32, index: i32): u8 {
  const group = offset + (index / 3) * 4;
  const bits = (bitsAt(group) << 18) | (bitsAt(group + 1) << 12) | (bitsAt(group + 2) << 6) | bitsAt(group + 3);
  return <u8>((bits >>> (16 - 8 * (index % 3))) & 0xff);
}

/** Returns six bits; 0 after the end of the text. */
function bitsAt(offset: i32): u32 {
  return <u32>max(sextet(at(offset)), 0);
}

/**
 * Matches a PEM header that is followed by a body: at least 40 base64 characters, on one line, on several, or in a JSON
 * string.
 */
export function isPrivateKey(offset: i32): bool {
  if (!standsAt(offset, '-----BEGIN ')) return false;
  let end = offset + 11;
  while ((isUpper(at(end)) || at(end) === 0x20) && end < offset + 60) end++;
  if (!standsAt(end, '-----')) return false;
  if (!standsAt(end - 11, 'PRIVATE KEY') && !standsAt(end - 17, 'PRIVATE KEY BLOCK')) return false;
  return bodyLength(end + 5) >= 40;
}

/**
 * Counts letters, digits, `+`, `/` and `=` up to the footer, skipping line endings, `\n` in a JSON string, and headers
 * of old keys.
 */
function bodyLength(offset: i32): i32 {
  let found = 0;
  let from = offset;
  while (found < 40) {
    const byte = at(from);
    if (byte === 0x5c && (at(from + 1) === 0x6e || at(from + 1) === 0x72)) from += 2;
    else if (byte === 0x0a || byte === 0x0d || byte === 0x20 || byte === 0x09 || byte === 0x22 || byte === 0x3e) from++;
    else if (isHeaderLine(from)) while (at(from) !== 0x0a && at(from) !== 0x5c && at(from) !== 0) from++;
    else if (isAlphanumeric(byte) || byte === 0x2b || byte === 0x2f || byte === 0x3d) {
      found++;
      from++;
    } else return found;
  }
  return isKeyBody(offset, from) ? found : 0;
}

/** Matches `Proc-Type: …` and `DEK-Info: …` in keys that are encrypted with a passphrase. */
function isHeaderLine(offset: i32): bool {
  return standsAt(offset, 'Proc-Type:') || standsAt(offset, 'DEK-Info:');
}

function isKeyBody(offset: i32, end: i32): bool {
  let from = offset;
  while (from < end && !isTokenByte(at(from))) from++;
  return isVaried(from, end - from);
}
