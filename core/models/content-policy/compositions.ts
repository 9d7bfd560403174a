/**
 * Determines whether combining marks that may still follow a letter could complete a match: `cafe` may become `café`.
 * Only then must a stream wait for the next character.
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

/** Code point that represents any character beyond ASCII, which RE2 does not treat as a word character. */
const beyondAscii = 0x100;

/** Compositions of one pattern set, with cached results per letter. */
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

  /**
   * Checks whether an instruction accepts a composition of the letter but not the letter itself, or whether a word ends
   * with it.
   */
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

  /** Checks whether a match may begin with a composition of the letter but not with the letter itself. */
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
