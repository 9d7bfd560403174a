/**
 * Finite automata for globs, made deterministic on demand. A match takes one step per character without backtracking,
 * even for hostile text. The policy analysis runs the same automata in parallel.
 */
import { rememberedText } from '#core/kernel/remembered.ts';
import { type CharSet, contains, everyChar, oneChar } from './char-set.ts';
import type { GlobNode } from './glob-syntax.ts';

interface AutomatonState {
  readonly moves: { readonly set: CharSet; readonly to: number }[];
  readonly jumps: number[];
}

/** The dead state, from which no text leads to acceptance. */
export const dead = 0;

/** Automaton for the analysis, either of a glob or hand-written for normal forms and lengths. */
export interface Walker {
  readonly start: number;
  /** First code points of the character classes, ascending from 0. */
  readonly cuts: readonly number[];
  /** Returns the class of a character. The walker treats all characters of a class alike. */
  classOf(codePoint: number): number;
  step(state: number, codePoint: number): number;
  accepts(state: number): boolean;
  acceptsAll(state: number): boolean;
  /** Returns the minimum number of characters needed to reach acceptance. */
  missing(state: number): number;
}

export class Automaton implements Walker {
  readonly cuts: readonly number[];
  readonly start: number;
  readonly #places: AutomatonState[] = [];
  readonly #end: number;
  #endless: ReadonlySet<number> | undefined;
  readonly #classOfCut: readonly number[];
  /** One code point from each class. */
  readonly #samples: readonly number[];
  readonly #classOfAscii = new Uint16Array(128);
  #states: { readonly places: readonly number[]; readonly next: Int32Array; readonly accepts: boolean }[] = [];
  #ids = new Map<string, number>();
  /** Minimum number of missing characters by place, and by state when requested. Only used by the analysis. */
  #missingOfPlaces: readonly number[] | undefined;
  #missingOfStates: number[] = [];

  constructor(nodes: readonly GlobNode[]) {
    this.#end = this.#build(nodes, this.#place());
    const sets = this.#sets();
    this.cuts = findCuts(sets);
    this.#classOfCut = mergeCuts(sets, this.cuts);
    this.#samples = samplesOf(this.#classOfCut, this.cuts);
    for (let code = 0; code < 128; code++) this.#classOfAscii[code] = this.#searchClass(code);
    this.#intern([]);
    this.start = this.#intern(this.#closure([0]));
  }

  classOf(codePoint: number): number {
    return codePoint < 128 ? this.#classOfAscii[codePoint]! : this.#searchClass(codePoint);
  }

  accepts(state: number): boolean {
    return this.#states[state]!.accepts;
  }

  /** Checks whether every continuation is accepted, as after a trailing `**`. */
  acceptsAll(state: number): boolean {
    this.#endless ??= this.#findEndless();
    return this.#states[state]!.places.some((place) => this.#endless!.has(place));
  }

  missing(state: number): number {
    const known = this.#missingOfStates[state];
    if (known !== undefined) return known;
    const ofPlaces = this.#placesMissing();
    const least = this.#states[state]!.places.reduce((min, place) => Math.min(min, ofPlaces[place]!), Infinity);
    this.#missingOfStates[state] = least;
    return least;
  }

  step(state: number, codePoint: number): number {
    const index = this.classOf(codePoint);
    const known = this.#states[state]!.next[index]!;
    return known >= 0 ? known : this.#explore(state, index);
  }

  matches(text: string): boolean {
    // Hostile text could create thousands of states for a glob with many stars. In that case, the states are dropped to
    // limit memory.
    if (this.#states.length > maxStates) this.#forget();
    let state = this.start;
    for (let i = 0; i < text.length; i++) {
      let code = text.charCodeAt(i);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(i)!;
        if (code > 0xffff) i++;
      }
      state = this.step(state, code);
      if (state === dead) return false;
    }
    return this.accepts(state);
  }

  #explore(state: number, index: number): number {
    const codePoint = this.#samples[index]!;
    const reached: number[] = [];
    for (const place of this.#states[state]!.places) {
      for (const move of this.#places[place]!.moves) if (contains(move.set, codePoint)) reached.push(move.to);
    }
    const next = this.#intern(this.#closure(reached));
    this.#states[state]!.next[index] = next;
    return next;
  }

  #intern(places: readonly number[]): number {
    const key = places.join(',');
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const next = new Int32Array(this.#samples.length).fill(places.length === 0 ? dead : -1);
    this.#states.push({ places, next, accepts: places.includes(this.#end) });
    this.#ids.set(key, this.#states.length - 1);
    return this.#states.length - 1;
  }

  #closure(from: readonly number[]): number[] {
    const seen = new Set<number>(from);
    for (const place of seen) for (const jump of this.#places[place]!.jumps) seen.add(jump);
    return [...seen].sort((a, b) => a - b);
  }

  #forget(): void {
    this.#states = [];
    this.#ids = new Map();
    this.#missingOfStates = [];
    this.#intern([]);
    this.#intern(this.#closure([0]));
  }

  /** Returns the places that accept now and after any number of additional characters. */
  #findEndless(): Set<number> {
    const loops = this.#places.flatMap(({ moves }, at) =>
      moves.some(({ to, set }) => to === at && set === everyChar) ? [at] : [],
    );
    const missing = this.#placesMissing();
    return new Set(loops.filter((at) => missing[at] === 0));
  }

  #placesMissing(): readonly number[] {
    this.#missingOfPlaces ??= this.#findMissing();
    return this.#missingOfPlaces;
  }

  /** Computes the missing characters backwards from the end. A jump consumes no characters, and a move consumes one. */
  #findMissing(): number[] {
    const [jumpsTo, movesTo] = [this.#places.map((): number[] => []), this.#places.map((): number[] => [])];
    this.#places.forEach(({ jumps, moves }, at) => {
      for (const to of jumps) jumpsTo[to]!.push(at);
      for (const { to } of moves) movesTo[to]!.push(at);
    });
    const missing = this.#places.map(() => Infinity);
    let level = new Set([this.#end]);
    for (let count = 0; level.size > 0; count++) {
      for (const at of level) {
        missing[at] = count;
        for (const from of jumpsTo[at]!) if (missing[from] === Infinity) level.add(from);
      }
      level = new Set([...level].flatMap((at) => movesTo[at]!).filter((from) => missing[from] === Infinity));
    }
    return missing;
  }

  #place(): number {
    this.#places.push({ moves: [], jumps: [] });
    return this.#places.length - 1;
  }

  /** Adds the nodes, starting at a place. Returns the place that follows them. */
  #build(nodes: readonly GlobNode[], from: number): number {
    return nodes.reduce((at, node) => this.#buildNode(node, at), from);
  }

  #buildNode(node: GlobNode, from: number): number {
    switch (node.kind) {
      case 'literal':
        return [...node.text].reduce((at, char) => this.#move(at, oneCharSet(char)), from);
      case 'chars':
        return this.#move(from, node.set);
      case 'many':
        return this.#loop(from, node.set);
      case 'folders': {
        // The prefix is either empty or any text that ends in a separator.
        const inside = this.#loop(from, everyChar);
        const behind = this.#move(inside, oneCharSet('/'));
        this.#places[from]!.jumps.push(behind);
        return behind;
      }
      case 'either': {
        const join = this.#place();
        for (const branch of node.branches) {
          const opened = this.#place();
          this.#places[from]!.jumps.push(opened);
          this.#places[this.#build(branch, opened)]!.jumps.push(join);
        }
        return join;
      }
    }
  }

  #move(from: number, set: CharSet): number {
    const to = this.#place();
    this.#places[from]!.moves.push({ set, to });
    return to;
  }

  /** Adds a new looping place. A loop on `from` itself could leak into another branch. */
  #loop(from: number, set: CharSet): number {
    const inside = this.#place();
    this.#places[from]!.jumps.push(inside);
    this.#places[inside]!.moves.push({ set, to: inside });
    return inside;
  }

  #sets(): ReadonlySet<CharSet> {
    return new Set(this.#places.flatMap(({ moves }) => moves.map(({ set }) => set)));
  }

  #searchClass(codePoint: number): number {
    let low = 0;
    let high = this.cuts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.cuts[middle]! <= codePoint) low = middle;
      else high = middle - 1;
    }
    return this.#classOfCut[low]!;
  }
}

function findCuts(sets: Iterable<CharSet>): number[] {
  const cuts = new Set([0]);
  for (const set of sets) {
    for (const [from, to] of set) {
      cuts.add(from);
      if (to < lastCodePoint) cuts.add(to + 1);
    }
  }
  return [...cuts].sort((a, b) => a - b);
}

/**
 * Merges classes that are not distinguished by any set, which keeps the tables small. Returns the class of each cut.
 */
function mergeCuts(sets: Iterable<CharSet>, cuts: readonly number[]): number[] {
  const indexOf = new Map(cuts.map((cut, at) => [cut, at]));
  const memberships = cuts.map(() => '');
  let id = 0;
  for (const set of sets) {
    id++;
    for (const [from, to] of set)
      for (let at = indexOf.get(from)!; at < cuts.length && cuts[at]! <= to; at++) memberships[at] += ` ${id}`;
  }
  const classes = new Map<string, number>();
  return memberships.map((members) => {
    const known = classes.get(members) ?? classes.size;
    classes.set(members, known);
    return known;
  });
}

function samplesOf(classOfCut: readonly number[], cuts: readonly number[]): number[] {
  const samples: number[] = [];
  classOfCut.forEach((index, i) => {
    samples[index] ??= cuts[i]!;
  });
  return samples;
}

const maxStates = 4096;
const lastCodePoint = 0x10ffff;
const oneCharSet = rememberedText((char: string): CharSet => oneChar(char.codePointAt(0)!));
