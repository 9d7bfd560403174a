/** Program that finds phrases: equivalent to a pattern set, without the cost of compiling patterns. */
import { type Instruction, op, type Program } from './program.ts';

/** White space that remains after folding. */
const blank = Int32Array.of(9, 13, 32, 32, 0x1680, 0x1680, 0x2028, 0x2029);

/** Returns a program in which phrase `i` is pattern `i`; a space matches white space of any length. */
export function literals(phrases: readonly string[]): Program {
  const inst: Instruction[] = [];
  const begins = phrases.map((phrase, pattern) => {
    const begin = inst.length;
    for (const char of phrase) {
      const self = inst.length;
      inst.push(char === ' ' ? blanks(self + 1) : letter(char.codePointAt(0)!, self + 1));
      if (char === ' ') inst.push({ ...nothing, op: op.alt, out: self, arg: self + 2 });
    }
    inst.push({ ...nothing, op: op.match, arg: pattern });
    return begin;
  });
  let start = inst.push({ ...nothing, op: op.fail }) - 1;
  for (const begin of begins) start = inst.push({ ...nothing, op: op.alt, out: begin, arg: start }) - 1;
  return { start, inst };
}

const nothing = { out: 0, arg: 0, runes: new Int32Array(0), matchRune: () => false };

const letter = (code: number, out: number): Instruction => ({
  ...nothing,
  op: op.rune,
  out,
  runes: Int32Array.of(code, code),
  matchRune: (char) => char === code,
});

const blanks = (out: number): Instruction => ({
  ...nothing,
  op: op.rune,
  out,
  runes: blank,
  matchRune: (char) =>
    char === 32 || (char >= 9 && char <= 13) || char === 0x1680 || char === 0x2028 || char === 0x2029,
});
