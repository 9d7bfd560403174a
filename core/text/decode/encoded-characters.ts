/** Classifies characters by the encodings that use them. */

export const kinds = {
  /** A letter or a digit. */
  sign: 1,
  hexadecimal: 2,
  decimal: 4,
  binary: 8,
  base32: 16,
  base32Lower: 32,
  /** A base64 character that may also separate numbers. */
  joint: 64,
} as const;

/** Minimum lengths of encoded runs. The plugin `injection-guard` is built with the same values. */
export const leastSizes = {
  /** Shortest unbroken run, which is six bytes in base64. */
  unbroken: 8,
  /**
   * Minimum length for runs that span lines. Shorter runs count as words if they contain neither a digit nor a capital
   * after a lower-case letter.
   */
  line: 24,
  hexadecimal: 10,
  binary: 112,
  base32: 24,
  /** Number of printable characters for bytes to count as readable, even if mixed with other bytes. */
  readable: 18,
} as const;

const table = new Uint8Array(128);
const add = (chars: string, kind: number): void => {
  for (const char of chars) table[char.charCodeAt(0)]! |= kind;
};
add('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', kinds.sign);
add('0123456789ABCDEFabcdef', kinds.hexadecimal);
add('0123456789', kinds.decimal);
add('01', kinds.binary);
add('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', kinds.base32);
add('abcdefghijklmnopqrstuvwxyz234567', kinds.base32Lower);
add('+/_-=', kinds.joint);

/** Returns the kinds of a character, or 0 if it ends a run. Checks the bounds, because out-of-range reads are slow. */
export const characterKinds = (code: number): number => (code < 128 ? table[code]! : 0);
