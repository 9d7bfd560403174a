/**
 * Any character, as the unit of a string. In each process, fast-check's own `binary` builds a table of a million
 * characters, which takes a second.
 */
import fc from 'fast-check';

export const codePoint = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
