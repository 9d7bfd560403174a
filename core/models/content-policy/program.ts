/**
 * Reads compiled re2js patterns: their instructions, the characters these accept, and the instructions that are
 * reachable without consuming a character.
 */

/** re2js instruction, limited to the members that a walk needs. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  /** Character ranges as pairs of first and last; shared by instructions that accept the same characters. */
  readonly runes: ArrayLike<number>;
  matchRune(char: number): boolean;
}

export interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}

/** Instruction opcodes. */
export const op = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  runeAny: 10,
  runeAnyNotNewline: 11,
} as const;

/** Conditions between two characters, as bits of an `emptyWidth` instruction. */
const at = { lineStart: 1, lineEnd: 2, textStart: 4, textEnd: 8, boundary: 16, noBoundary: 32 } as const;
export const allConditions = 63;

/** Returns the conditions that hold between two characters; -1 is the start or end of the text. */
export function boundaryConditions(before: number, after: number): number {
  const boundary = isWord(before) === isWord(after) ? at.noBoundary : at.boundary;
  const start = before < 0 ? at.textStart | at.lineStart : before === 10 ? at.lineStart : 0;
  const end = after < 0 ? at.textEnd | at.lineEnd : after === 10 ? at.lineEnd : 0;
  return boundary | start | end;
}

/** Checks whether a character is a word character as defined by RE2, which is ASCII only. */
export const isWord = (char: number): boolean =>
  (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || (char >= 48 && char <= 57) || char === 95;

export const isConsuming = ({ op: operation }: Instruction): boolean =>
  operation >= op.rune && operation <= op.runeAnyNotNewline;

export function acceptsChar(instruction: Instruction, char: number): boolean {
  if (instruction.op === op.runeAny) return true;
  if (instruction.op === op.runeAnyNotNewline) return char !== 10;
  return instruction.matchRune(char);
}

/** Adds the successors of a non-consuming instruction to `open`. */
export function follow(instruction: Instruction, conditions: number, open: number[]): void {
  const { op: operation, out, arg } = instruction;
  if (operation === op.alt || operation === op.altMatch) open.push(arg, out);
  else if (operation === op.capture || operation === op.nop) open.push(out);
  else if (operation === op.emptyWidth && (arg & ~conditions) === 0) open.push(out);
}

/** Returns the consuming and match instructions that are reachable without consuming a character. */
export function reachable(
  { inst }: Program,
  from: number,
  conditions: number,
): { readonly consuming: readonly number[]; readonly matches: readonly number[] } {
  const consuming: number[] = [];
  const matches: number[] = [];
  const seen = new Set<number>();
  const open = [from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const instruction = inst[index]!;
    if (instruction.op === op.match) matches.push(instruction.arg);
    else if (isConsuming(instruction)) consuming.push(index);
    else follow(instruction, conditions, open);
  }
  return { consuming, matches };
}

/** Returns the pattern that each instruction belongs to. A pattern's instructions end with its match instruction. */
export function instructionOwners({ inst }: Program): Int32Array {
  const owner = new Int32Array(inst.length).fill(-1);
  let pattern = -1;
  for (let i = inst.length - 1; i >= 0; i--) {
    if (inst[i]!.op === op.match) pattern = inst[i]!.arg;
    owner[i] = pattern;
  }
  return owner;
}

export const hasBoundaries = ({ inst }: Program): boolean =>
  inst.some(({ op: operation, arg }) => operation === op.emptyWidth && (arg & (at.boundary | at.noBoundary)) !== 0);

/** Returns one instruction for each class that accepts characters beyond ASCII. */
export function classesBeyondAscii({ inst }: Program): readonly Instruction[] {
  const classes = new Map<ArrayLike<number>, Instruction>();
  for (const instruction of inst) {
    const { op: operation, runes } = instruction;
    const isAny = operation === op.runeAny || operation === op.runeAnyNotNewline;
    if (isAny || (isConsuming(instruction) && runes[runes.length - 1]! > 127)) classes.set(runes, instruction);
  }
  return [...classes.values()];
}
