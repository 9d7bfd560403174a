/**
 * Patterns that begin with `./`. They match only relative paths that do not climb out of their folder [policy.globs].
 */
import { Automaton, dead, type Walker } from './automaton.ts';
import type { GlobNode } from './glob-syntax.ts';
import { boundaryPoints, walker } from './name-automaton.ts';

/**
 * Checks that all words are relative paths: none of them starts at a root or home directory, is an address, or climbs
 * out. The text must be normalised.
 */
export const isRelative = (text: string): boolean => {
  let state: string | undefined = 'empty';
  for (const char of text) {
    state = nextState(state, char);
    if (state === undefined) return false;
  }
  return ends(state);
};

/** Returns the intersection of the glob's automaton with the automaton for relative paths. */
export const relativeWalker = (nodes: readonly GlobNode[]): Walker =>
  intersect(
    new Automaton(nodes),
    walker(
      'empty',
      [
        0,
        0x20,
        ...boundaryPoints(`${signs}/~.: \n`),
        0x7f,
        0xa0,
        0x1680,
        0x1681,
        0x2000,
        0x200b,
        0x2028,
        0x202a,
        0x202f,
        0x2030,
        0x205f,
        0x2060,
        0x3000,
        0x3001,
        0xfeff,
        0xff00,
      ],
      nextState,
      ends,
    ),
  );

/** Symbols after which another path may begin. */
const signs = ',;=|&<>()\'"`@{}[]$#?!';
const parts = (char: string): boolean => char < ' ' || signs.includes(char) || /\s/u.test(char);

/**
 * Returns the next state: `empty` text, `start` of a word, `.` and `..` at the start of a word, `first` segment,
 * `inside` a folder.
 */
function nextState(state: string, char: string): string | undefined {
  if (parts(char)) return state === '..' ? undefined : 'start';
  switch (state) {
    case 'empty':
    case 'start':
      return char === '/' || char === '~' || char === ':' ? undefined : char === '.' ? '.' : 'first';
    case '.':
      return char === '.' ? '..' : char === '/' ? 'inside' : char === ':' ? undefined : 'first';
    case '..':
      return char === '/' || char === ':' ? undefined : 'first';
    case 'first':
      // A colon follows a scheme, a drive, a host or a revision, never a local folder.
      return char === ':' ? undefined : char === '/' ? 'inside' : 'first';
    default:
      return 'inside';
  }
}

const ends = (state: string): boolean => state !== 'empty' && state !== '..';

/** Returns the automaton for strings that both automata accept. */
function intersect(a: Walker, b: Walker): Walker {
  const pairs: (readonly [number, number])[] = [[dead, dead]];
  const ids = new Map<string, number>();
  const intern = (x: number, y: number): number => {
    if (x === dead || y === dead) return dead;
    const key = `${x} ${y}`;
    const known = ids.get(key) ?? pairs.push([x, y]) - 1;
    ids.set(key, known);
    return known;
  };
  const classes = new Map<string, number>();
  return {
    start: intern(a.start, b.start),
    cuts: [...new Set([...a.cuts, ...b.cuts])].sort((x, y) => x - y),
    classOf(code) {
      const key = `${a.classOf(code)} ${b.classOf(code)}`;
      const known = classes.get(key) ?? classes.size;
      classes.set(key, known);
      return known;
    },
    step: (state, code) => intern(a.step(pairs[state]![0], code), b.step(pairs[state]![1], code)),
    accepts: (state) => a.accepts(pairs[state]![0]) && b.accepts(pairs[state]![1]),
    acceptsAll: () => false,
    missing: (state) => Math.max(a.missing(pairs[state]![0]), b.missing(pairs[state]![1])),
  };
}
