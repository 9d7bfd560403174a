/**
 * Path patterns used by guards. A text matches if one of its words is a listed path: `cat a .env` matches, but
 * `.env.example` does not. Matching is case-insensitive. The patterns are built as automata, like globs, so that the
 * analysis stays exact.
 */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { inAnyCase } from './any-case.ts';
import { Automaton, dead, type Walker } from './automaton.ts';
import { foldUnicode } from './fold-unicode.ts';
import type { Glob } from './glob.ts';
import { type GlobNode, parseGlob } from './glob-syntax.ts';

interface PathPattern {
  /** Globs that match a single word; `**` crosses folders. */
  readonly globs: readonly string[];
  /** Exceptions: words that do not match even if a glob does. */
  readonly except: readonly string[];
  /**
   * True to match only text that looks like a single path: no line breaks, and blanks only after a start such as `/`.
   */
  readonly wholePath: boolean;
}

/**
 * Compiled globs by pattern. Guards repeat for several protocols, and configurations are recompiled for checks and new
 * versions, so most patterns recur.
 */
const compiled = new RecentMap<string, Glob>({ max: 64 });

/** @throws GatewayError `invalid_request` for a malformed glob. */
export function pathGlob(pattern: PathPattern): Glob {
  const source = JSON.stringify(pattern);
  return compiled.getOrInsertComputed(source, () => compile(pattern, source));
}

function compile({ globs, except, wholePath }: PathPattern, source: string): Glob {
  const [paths, exceptions] = [globs.map(parse), except.map(parse)];
  const open = (): PathWalker => new PathWalker(inAnyCaseEach(paths), inAnyCaseEach(exceptions), wholePath);
  // Guard automata are the most expensive part of a policy, so they are built when the first text is checked.
  let walker: PathWalker | undefined;
  return {
    source,
    prefix: '',
    literal: undefined,
    nodes: [],
    walker: open,
    matches: (text) => {
      // Hostile text could create states without limit. In that case, the states are dropped to limit memory.
      if (walker === undefined || walker.isLarge) walker = open();
      return walker.matches(text);
    },
  };
}

/** Maximum number of strings for which a sieve keeps the result. One call never contains as many. */
const maxKept = 256;

/**
 * Returns a test that is false only for text that no glob in any of the patterns matches. Guards that check the same
 * text share the test, so that ordinary text is read once instead of once per guard.
 */
export function pathSieve(patterns: readonly PathPattern[], wholePath: boolean): (text: string) => boolean {
  let union: Glob | undefined;
  const kept = new Map<string, boolean>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    if (kept.size >= maxKept) kept.clear();
    union ??= pathGlob({ globs: [...new Set(patterns.flatMap(({ globs }) => globs))], except: [], wholePath });
    const may = union.matches(text);
    kept.set(text, may);
    return may;
  };
}

const parse = (glob: string): GlobNode[] => parseGlob(glob, foldUnicode);
const inAnyCaseEach = (globs: readonly GlobNode[][]): GlobNode[][] => globs.map((nodes) => nodes.flatMap(inAnyCase));

/**
 * Word separators in addition to blanks and control characters: symbols that surround paths in options, lists,
 * addresses and quotes.
 */
const separators = ' ,;:=|&<>()\'"`@{}[]$#?!';
const isSeparator = (code: number): boolean =>
  code < 0x20 || code === 0x7f || (code < 0x80 ? separators.includes(String.fromCharCode(code)) : isBlank(code));
const isBlank = (code: number): boolean => /\s/u.test(String.fromCodePoint(code));
const isBreak = (code: number): boolean => /[\n\r\v\f\u0085\u2028\u2029]/.test(String.fromCodePoint(code));

/** Form of the text so far: empty, one word, or the start of a path, after which blanks belong to the path. */
type Shape = 'start' | 'word' | 'path';

/**
 * Position in a Git revision range such as `@{u}..` or `HEAD^{commit}...`, whose dots are not a parent folder: `sign` is
 * after `@` or `^`, `inside` the braces, `closed` after them, and then after one, two or three dots.
 */
type Range = '' | 'sign' | 'inside' | 'closed' | '.' | '..' | '...';

interface State {
  readonly globs: number;
  readonly except: number;
  readonly found: boolean;
  readonly shape: Shape;
  readonly range: Range;
}

const special = [
  ...separators,
  '/',
  '~',
  '.',
  '^',
  '\\',
  '\n',
  '\u007f',
  '\u00a0',
  '\u0085',
  '\u1680',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '\ufeff',
];
const maxStates = 4096;

class PathWalker implements Walker {
  readonly start = 1;
  readonly cuts: readonly number[];
  readonly #globs: Automaton;
  readonly #except: Automaton;
  readonly #wholePath: boolean;
  readonly #states: (State | undefined)[] = [undefined];
  readonly #ids = new Map<string, number>();
  readonly #classes = new Map<string, number>();
  readonly #classOfAscii: readonly number[];
  readonly #steps: Int32Array[] = [new Int32Array(0)];

  constructor(globs: readonly GlobNode[][], except: readonly GlobNode[][], wholePath: boolean) {
    this.#globs = new Automaton([{ kind: 'either', branches: globs }]);
    this.#except = new Automaton([{ kind: 'either', branches: except }]);
    this.#wholePath = wholePath;
    const own = special.flatMap((char) => [char.codePointAt(0)!, char.codePointAt(0)! + 1]);
    const cuts = new Set([
      0,
      0x09,
      0x0e,
      0x20,
      0x80,
      0x2000,
      0x200b,
      ...own,
      ...this.#globs.cuts,
      ...this.#except.cuts,
    ]);
    this.cuts = [...cuts].sort((a, b) => a - b);
    this.#classOfAscii = Array.from({ length: 128 }, (_, code) => this.#searchClass(code));
    this.#intern({ globs: this.#globs.start, except: this.#except.start, found: false, shape: 'start', range: '' });
  }

  get isLarge(): boolean {
    return this.#states.length > maxStates;
  }

  classOf(codePoint: number): number {
    return codePoint < 128 ? this.#classOfAscii[codePoint]! : this.#searchClass(codePoint);
  }

  accepts(state: number): boolean {
    const at = this.#states[state];
    return at !== undefined && (at.found || this.#isHit(at));
  }

  acceptsAll(state: number): boolean {
    return !this.#wholePath && (this.#states[state]?.found ?? false);
  }

  /** Returns the number of characters missing for this word, or for a word after a separator. */
  missing(state: number): number {
    const at = this.#states[state];
    if (at === undefined) return Infinity;
    return at.found ? 0 : Math.min(this.#globs.missing(at.globs), 1 + this.#globs.missing(this.#globs.start));
  }

  step(state: number, codePoint: number): number {
    if (state === dead) return dead;
    const row = this.#steps[state]!;
    const at = this.classOf(codePoint);
    const known = at < row.length ? row[at]! : -1;
    if (known >= 0) return known;
    const next = this.#next(this.#states[state]!, codePoint);
    return this.#remember(state, at, next === undefined ? dead : this.#intern(next));
  }

  matches(text: string): boolean {
    let state = this.start;
    for (let i = 0; i < text.length; i++) {
      const code = text.codePointAt(i)!;
      if (code > 0xffff) i++;
      state = this.step(state, code);
      if (state === dead) return false;
      if (this.acceptsAll(state)) return true;
    }
    return this.accepts(state);
  }

  #next(at: State, code: number): State | undefined {
    if (at.found && !this.#wholePath) return at;
    const shape = this.#wholePath ? shapeAfter(at.shape, code) : at.shape;
    if (shape === undefined) return undefined;
    if (at.found) return { ...at, shape };
    const range = rangeAfter(at.range, code);
    return isSeparator(code)
      ? { globs: this.#globs.start, except: this.#except.start, found: this.#isHit(at), shape, range }
      : {
          globs: this.#globs.step(at.globs, code),
          except: this.#except.step(at.except, code),
          found: false,
          shape,
          range,
        };
  }

  #isHit({ globs, except, range }: State): boolean {
    return range !== '..' && range !== '...' && this.#globs.accepts(globs) && !this.#except.accepts(except);
  }

  #intern(state: State): number {
    // After a match, the rest of the word is irrelevant.
    const { globs, except, found, shape, range } = state;
    const key = found ? `found ${shape}` : `${globs} ${except} ${shape} ${range}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.#states.length);
    this.#steps.push(new Int32Array(0));
    return this.#states.push(state) - 1;
  }

  #remember(state: number, at: number, next: number): number {
    let row = this.#steps[state]!;
    if (at >= row.length) {
      const wider = new Int32Array(this.#classes.size).fill(-1);
      wider.set(row);
      row = wider;
      this.#steps[state] = row;
    }
    row[at] = next;
    return next;
  }

  #searchClass(code: number): number {
    const kind = isBreak(code) ? 3 : isBlank(code) ? 2 : isSeparator(code) ? 1 : beginsPath(code) ? 4 : 0;
    const inRange = '@^{}.'.includes(String.fromCodePoint(code)) ? code : endsRange(code) ? 1 : 0;
    const key = `${this.#globs.classOf(code)} ${this.#except.classOf(code)} ${kind} ${inRange}`;
    const known = this.#classes.get(key) ?? this.#classes.size;
    this.#classes.set(key, known);
    return known;
  }
}

const beginsPath = (code: number): boolean => code === 0x2f || code === 0x7e || code === 0x2e;

/** Returns the form after the next character. Undefined if the text is then not a single path. */
function shapeAfter(shape: Shape, code: number): Shape | undefined {
  if (isBreak(code)) return undefined;
  if (shape === 'start') return beginsPath(code) ? 'path' : 'word';
  return shape === 'word' && isBlank(code) ? undefined : shape;
}

/** Returns the position after the next character. Braces that a shell may expand to folders do not name a revision. */
function rangeAfter(range: Range, code: number): Range {
  const char = String.fromCodePoint(code);
  if (char === '@' || char === '^') return 'sign';
  if (range === 'sign') return char === '{' ? 'inside' : '';
  if (range === 'inside') return char === '}' ? 'closed' : endsRange(code) ? '' : 'inside';
  return char === '.' ? (afterDot[range] ?? '') : '';
}

const endsRange = (code: number): boolean => isBreak(code) || '{},/$`\\'.includes(String.fromCodePoint(code));

const afterDot: { readonly [range in Range]?: Range } = { closed: '.', '.': '..', '..': '...' };
