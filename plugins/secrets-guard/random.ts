/**
 * Checks for parts of a token that can be random: examples in documentation repeat characters, count up or are labelled
 * as examples.
 */
import { at, holds, lower } from '../shared/bytes';

/** @param size number of bytes, at least 16 */
export function isRandom(offset: i32, size: i32): bool {
  return !hasRun(offset, size) && isVaried(offset, size);
}

/** Checks the same for encoded documents, in which zeros produce runs. */
export function isVaried(offset: i32, size: i32): bool {
  return !saysExample(offset, size) && distinct(offset, size) * 3 >= (size < 30 ? size : 30);
}

/** Matches five equal characters in a row, or six consecutive ones that count up. */
function hasRun(offset: i32, size: i32): bool {
  let equal = 1;
  let rising = 1;
  for (let i = 1; i < size; i++) {
    const step = <i32>at(offset + i) - <i32>at(offset + i - 1);
    equal = step === 0 ? equal + 1 : 1;
    rising = step === 1 ? rising + 1 : 1;
    if (equal >= 5 || rising >= 6) return true;
  }
  return false;
}

function saysExample(offset: i32, size: i32): bool {
  const end = offset + size;
  return (
    holds(offset, end, 'example') ||
    holds(offset, end, 'your') ||
    holds(offset, end, 'placeholder') ||
    holds(offset, end, 'redacted') ||
    holds(offset, end, 'secret') ||
    holds(offset, end, 'token')
  );
}

function distinct(offset: i32, size: i32): i32 {
  let low: u64 = 0;
  let high: u64 = 0;
  for (let i = 0; i < size; i++) {
    const byte = lower(at(offset + i));
    if (byte < 64) low |= (<u64>1) << (<u64>byte);
    else if (byte < 128) high |= (<u64>1) << (<u64>(byte - 64));
  }
  return <i32>(popcnt(low) + popcnt(high));
}
