/** Any character, as the unit of a string: fast-check's own `binary` makes a table of a million characters in each process, which takes a second. */
import fc from 'fast-check';

export const codePoint = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
