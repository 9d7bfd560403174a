/**
 * Tokens that contain a CRC-32 of their random part as six base-62 digits: a made-up token passes only once in four
 * billion times.
 */
import { alphanumericLength, at, isDigit, isUpper, standsAt, tokenLength } from '../shared/bytes';
import { isRandom } from './random';

const randomPart = 30;
const checksumPart = 6;

/** Matches personal, OAuth, user-to-server, server-to-server and refresh tokens. */
export function isGitHubToken(offset: i32): bool {
  if (at(offset + 1) !== 0x68 || at(offset + 3) !== 0x5f) return false; // gh?_
  const kind = at(offset + 2);
  if (kind !== 0x70 && kind !== 0x6f && kind !== 0x75 && kind !== 0x73 && kind !== 0x72) return false;
  return checksumHolds(offset + 4);
}

/** Matches `github_pat_`, 22 characters, `_`, 59 characters. */
export function isGitHubFineGrained(offset: i32): bool {
  if (!standsAt(offset, 'github_pat_')) return false;
  const id = offset + 11;
  return alphanumericLength(id) === 22 && at(id + 22) === 0x5f && tokenLength(id + 23) === 59 && isRandom(id + 23, 59);
}

export function isNpmToken(offset: i32): bool {
  return standsAt(offset, 'npm_') && checksumHolds(offset + 4);
}

function checksumHolds(offset: i32): bool {
  if (tokenLength(offset) !== randomPart + checksumPart || alphanumericLength(offset) !== randomPart + checksumPart)
    return false;
  let given: u64 = 0;
  for (let i = randomPart; i < randomPart + checksumPart; i++) given = given * 62 + <u64>digit(at(offset + i));
  return given === <u64>crc32(offset, randomPart);
}

/** Returns the value of a base-62 digit: digits, then capitals, then lower case. */
function digit(byte: u8): u32 {
  if (isDigit(byte)) return byte - 0x30;
  return isUpper(byte) ? byte - 0x41 + 10 : byte - 0x61 + 36;
}

/** Computes the CRC-32 of ISO 3309 bit by bit: it is used only on the 30 bytes after a prefix. */
function crc32(offset: i32, size: i32): u32 {
  let crc: u32 = 0xffffffff;
  for (let i = 0; i < size; i++) {
    crc ^= <u32>at(offset + i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) !== 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}
