/**
 * Walks text character by character through a pattern set and tracks where the earliest match that may still complete
 * began: a stream must hold back that part and no more. It runs the same program as re2js, following all alternatives
 * at the same time, and visits each instruction once per character, so the cost per character is bounded for every
 * pattern and text. Alternatives that reach the same instruction merge, and the earlier beginning is kept.
 */
import { Compositions } from './compositions.ts';
import {
  acceptsChar,
  allConditions,
  boundaryConditions,
  follow,
  instructionOwners,
  isConsuming,
  op,
  type Program,
  reachable,
} from './program.ts';

/** Match that has just ended. */
export interface PatternMatch {
  readonly pattern: number;
  /** Index of the first character of the match, and its written position. */
  readonly begin: number;
  readonly at: number;
  /** Index of the character after the match. */
  readonly end: number;
}

/** Active alternatives, ordered by earliest beginning. */
interface Threads {
  /** Next instructions. */
  readonly next: number[];
  readonly begins: number[];
  /** Written position of each thread's beginning. */
  readonly ats: number[];
}

/** State of one walk. A shallow copy is independent, because threads are replaced and never mutated. */
export interface Walk {
  /** Previous character, or -1 at the start. */
  last: number;
  /** Number of characters read so far. */
  length: number;
  threads: Threads;
}

const noThreads: Threads = { next: [], begins: [], ats: [] };

export const newWalk = (): Walk => ({ last: -1, length: 0, threads: noThreads });

/** Properties of an instruction that a thread runs next. */
interface State {
  /** Patterns that match here, regardless of the next character. */
  readonly matches: readonly number[];
  /** True if a match may continue, or may complete depending on the next character. */
  readonly alive: boolean;
}

export class PartialMatches {
  readonly #program: Program;
  readonly #owner: Int32Array;
  readonly #holds: readonly boolean[];
  readonly #window: number;
  readonly #states: (State | undefined)[];
  readonly #starts: ReturnType<typeof reachable>[] = [];
  readonly #firsts: (readonly number[] | undefined)[] = [];
  /** Round in which each instruction was last visited, and in which it last became a thread's next instruction. */
  readonly #seen: Int32Array;
  readonly #added: Int32Array;
  readonly #looked: { conditions: number; char: number | undefined; length: number } = {
    conditions: 0,
    char: undefined,
    length: 0,
  };
  #round = 0;
  readonly #open: number[] = [];
  readonly #hasEmpty: boolean;
  readonly #compositions: Compositions;

  /**
   * @param holds patterns that hold text back; the others are only reported.
   * @param window maximum number of characters held back for patterns with unbounded matches.
   */
  constructor(program: Program, holds: readonly boolean[], window: number) {
    this.#program = program;
    this.#holds = holds;
    this.#window = window;
    this.#owner = instructionOwners(program);
    this.#seen = new Int32Array(program.inst.length);
    this.#added = new Int32Array(program.inst.length);
    this.#states = new Array(program.inst.length);
    this.#hasEmpty = this.#start(allConditions).matches.length > 0;
    this.#compositions = new Compositions(program);
  }

  /** Reads one character written at `at`; `hits` receives the completed matches. */
  step(walk: Walk, char: number, at: number, hits: PatternMatch[]): void {
    const conditions = boundaryConditions(walk.last, char);
    const first = this.#first(conditions, char);
    if (this.#hasEmpty) this.#reportEmpty(walk, conditions, at, hits);
    const { threads, length } = walk;
    walk.last = char;
    walk.length = length + 1;
    if (threads.next.length === 0 && first.length === 0) return;
    this.#round++;
    const next: Threads = { next: [], begins: [], ats: [] };
    this.#look(conditions, char, length);
    for (let i = 0; i < threads.next.length; i++) this.#advance(threads, i, next, hits);
    for (const thread of first) this.#add(next, thread, length, at);
    walk.threads = this.#settled(next, length + 1, hits);
  }

  /** Reads an optional character: walks that skip it continue in parallel with those that take it. */
  maybe(walk: Walk, char: number, at: number, hits: PatternMatch[]): void {
    const { last, threads } = walk;
    this.step(walk, char, at, hits);
    walk.last = last;
    if (threads.next.length > 0) walk.threads = this.#merged(threads, walk.threads);
  }

  /** Ends the text and reports matches that depended on the end of the text. */
  finish(walk: Walk, hits: PatternMatch[]): void {
    const conditions = boundaryConditions(walk.last, -1);
    if (this.#hasEmpty) this.#reportEmpty(walk, conditions, Infinity, hits);
    this.#round++;
    this.#look(conditions, undefined, walk.length);
    for (let i = 0; i < walk.threads.next.length; i++) this.#advance(walk.threads, i, noThreads, hits);
    walk.threads = noThreads;
  }

  /**
   * Returns the start of the earliest possible match that holds text back, or `Infinity` if there is none. `now` is the
   * end of the text.
   */
  holdFrom({ threads, length }: Walk, now: number): number {
    let from = Infinity;
    for (let i = 0; i < threads.next.length; i++) {
      if (!this.#holds[this.#owner[threads.next[i]!]!]) continue;
      if (length - threads.begins[i]! <= this.#window) return Math.min(from, threads.ats[i]!);
      from = Math.min(from, Math.max(threads.ats[i]!, now - this.#window));
    }
    return from;
  }

  /** Returns the start of the earliest possible match, whether or not it holds text back. */
  openFrom({ threads }: Walk): number {
    return threads.ats[0] ?? Infinity;
  }

  holds(pattern: number): boolean {
    return this.#holds[pattern]!;
  }

  /**
   * Checks whether marks after the letter could still change it so that it continues a match that the letter itself
   * ends (`continues`), or begins one that the letter does not begin (`begins`).
   */
  mayCompose({ last, threads }: Walk, letter: number): { readonly continues: boolean; readonly begins: boolean } {
    return {
      continues: threads.next.length > 0 && this.#compositions.mayContinue(letter),
      begins: this.#compositions.mayBegin(last, letter),
    };
  }

  /** Sets the state that all threads of one step share, without allocating an object per character. */
  #look(conditions: number, char: number | undefined, length: number): void {
    this.#looked.conditions = conditions;
    this.#looked.char = char;
    this.#looked.length = length;
  }

  /** Advances one thread over the current character, or to the end of the text. */
  #advance({ next: nexts, begins, ats }: Threads, thread: number, next: Threads, hits: PatternMatch[]): void {
    const { conditions, char, length } = this.#looked;
    const open = this.#open;
    const begin = begins[thread]!;
    const at = ats[thread]!;
    open.push(nexts[thread]!);
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#seen[index] === this.#round) continue;
      this.#seen[index] = this.#round;
      const instruction = this.#program.inst[index]!;
      if (isConsuming(instruction)) {
        if (char !== undefined && acceptsChar(instruction, char)) this.#add(next, instruction.out, begin, at);
      } else if (instruction.op === op.match) {
        const wasKnown = this.#state(nexts[thread]!).matches.includes(instruction.arg);
        if (!wasKnown) hits.push({ pattern: instruction.arg, begin, at, end: length });
      } else follow(instruction, conditions, open);
    }
  }

  /** Merges threads, ordered by their beginnings. */
  #merged(one: Threads, other: Threads): Threads {
    this.#round++;
    const merged: Threads = { next: [], begins: [], ats: [] };
    for (let i = 0, k = 0; i < one.next.length || k < other.next.length; ) {
      const isFirst = k >= other.next.length || (i < one.next.length && one.begins[i]! <= other.begins[k]!);
      const [from, index] = isFirst ? [one, i++] : [other, k++];
      this.#add(merged, from.next[index]!, from.begins[index]!, from.ats[index]!);
    }
    return merged;
  }

  /** Adds a thread. Threads arrive ordered by their beginnings, so the first one at an instruction is the earliest. */
  #add(threads: Threads, next: number, begin: number, at: number): void {
    if (this.#added[next] === this.#round) return;
    this.#added[next] = this.#round;
    threads.next.push(next);
    threads.begins.push(begin);
    threads.ats.push(at);
  }

  /** Reports matches that are certain, and returns the threads that may still continue. */
  #settled(threads: Threads, length: number, hits: PatternMatch[]): Threads {
    const { next, begins, ats } = threads;
    let kept = 0;
    for (let i = 0; i < next.length; i++) {
      const { matches, alive } = this.#state(next[i]!);
      for (const pattern of matches) hits.push({ pattern, begin: begins[i]!, at: ats[i]!, end: length });
      if (!alive) continue;
      next[kept] = next[i]!;
      begins[kept] = begins[i]!;
      ats[kept++] = ats[i]!;
    }
    next.length = begins.length = ats.length = kept;
    return threads;
  }

  /** Reports patterns such as `\b` or `^`, which match between two characters. */
  #reportEmpty({ length }: Walk, conditions: number, at: number, hits: PatternMatch[]): void {
    for (const pattern of this.#start(conditions).matches) hits.push({ pattern, begin: length, at, end: length });
  }

  /** Returns the next instructions for a match that begins with this character. */
  #first(conditions: number, char: number): readonly number[] {
    const key = char < 128 ? conditions * 128 + char : -1;
    const known = key < 0 ? undefined : this.#firsts[key];
    if (known) return known;
    const { inst } = this.#program;
    const { consuming } = this.#start(conditions);
    const first = consuming.filter((index) => acceptsChar(inst[index]!, char)).map((index) => inst[index]!.out);
    if (key >= 0) this.#firsts[key] = first;
    return first;
  }

  #start(conditions: number): ReturnType<typeof reachable> {
    this.#starts[conditions] ??= reachable(this.#program, this.#program.start, conditions);
    return this.#starts[conditions];
  }

  #state(thread: number): State {
    const known = this.#states[thread];
    if (known) return known;
    const { matches } = reachable(this.#program, thread, 0);
    const any = reachable(this.#program, thread, allConditions);
    const state = { matches, alive: any.consuming.length > 0 || any.matches.length > matches.length };
    this.#states[thread] = state;
    return state;
  }
}
