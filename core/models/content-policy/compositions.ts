/**
 * Whether marks that still follow a letter could make a match possible that is none without them: `cafe` may become
 * `café`. Only then must a stream wait for what follows a letter.
 */
import {
  acceptsChar,
  boundaryConditions,
  classesBeyondAscii,
  hasBoundaries,
  type Instruction,
  isWord,
  type Program,
  reachable,
} from './program.ts';
import { compositionsOf } from './reading.ts';

/** Stands for any character beyond ASCII: no word character for RE2. */
const beyondAscii = 0x100;

/** Of one pattern set; what was found out about a letter is kept. */
export class Compositions {
  readonly #program: Program;
  readonly #classes: readonly Instruction[];
  readonly #hasBoundaries: boolean;
  readonly #continuing = new Map<number, boolean>();
  readonly #beginning = new Map<string, boolean>();

  constructor(program: Program) {
    this.#program = program;
    this.#classes = classesBeyondAscii(program);
    this.#hasBoundaries = hasBoundaries(program);
  }

  /** Whether some instruction takes what a mark makes of the letter, but not the letter; or a word ends with it. */
  mayContinue(letter: number): boolean {
    if (this.#classes.length === 0 && !this.#hasBoundaries) return false;
    const known = this.#continuing.get(letter);
    if (known !== undefined) return known;
    const composed = compositionsOf(letter);
    const others = this.#classes.filter((instruction) => !acceptsChar(instruction, letter));
    const may =
      (this.#hasBoundaries && isWord(letter) && composed.length > 0) ||
      composed.some((char) => others.some((instruction) => acceptsChar(instruction, char)));
    this.#continuing.set(letter, may);
    return may;
  }

  /** Whether a match may begin with what a mark makes of the letter, where none begins with the letter. */
  mayBegin(last: number, letter: number): boolean {
    if (this.#classes.length === 0) return false;
    const withMark = boundaryConditions(last, beyondAscii);
    const key = `${letter}.${withMark}`;
    const known = this.#beginning.get(key);
    if (known !== undefined) return known;
    const { inst, start } = this.#program;
    const beginning = (conditions: number) => reachable(this.#program, start, conditions).consuming;
    const plain = new Set(
      beginning(boundaryConditions(last, letter)).filter((index) => acceptsChar(inst[index]!, letter)),
    );
    const others = beginning(withMark).filter((index) => !plain.has(index));
    const may = compositionsOf(letter).some((char) => others.some((index) => acceptsChar(inst[index]!, char)));
    this.#beginning.set(key, may);
    return may;
  }
}
