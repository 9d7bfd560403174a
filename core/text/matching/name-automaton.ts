/** Automata for the strings that a normalised call can contain, to which the analysis is limited. */
import type { Walker } from './automaton.ts';

/** Builds an automaton from a function over named states. The dead state is 0. */
export function walker(start: string, cuts: readonly number[], next: Next, ends: (state: string) => boolean): Walker {
  const names = ['', start];
  const ids = new Map([[start, 1]]);
  const known = new Map<number, number>();
  const sorted = [...new Set([0, ...cuts])].sort((a, b) => a - b);
  const classOf = (code: number): number => sorted.findLastIndex((cut) => cut <= code);
  return {
    start: 1,
    cuts: sorted,
    classOf,
    step(state, code) {
      const key = state * 0x110000 + code;
      let to = known.get(key);
      if (to !== undefined) return to;
      const name = state === 0 ? undefined : next(names[state]!, String.fromCodePoint(code));
      to = name === undefined ? 0 : (ids.get(name) ?? names.push(name) - 1);
      if (name !== undefined) ids.set(name, to);
      known.set(key, to);
      return to;
    },
    accepts: (state) => state !== 0 && ends(names[state]!),
    acceptsAll: () => false,
    missing: () => 0,
  };
}

type Next = (state: string, char: string) => string | undefined;

export const boundaryPoints = (chars: string): number[] =>
  [...chars].flatMap((char) => [char.charCodeAt(0), char.charCodeAt(0) + 1]);

/**
 * Returns the automaton for protocols, tools, capabilities and upstreams: lower case, with no blank at either end.
 * @param optional whether the name may be empty, because a call may have no upstream.
 */
export const normalName = (optional = false): Walker =>
  walker(
    'start',
    [0x20, 0x21, 0x41, 0x5b, 0x7f, 0xa0],
    (state, char) => {
      if (char < ' ' || (char >= 'A' && char <= 'Z') || (char >= '\u007f' && char < '\u00a0')) return undefined;
      if (char !== ' ') return 'name';
      return state === 'start' ? undefined : 'blank';
    },
    (state) => state === 'name' || (optional && state === 'start'),
  );

/** Returns the automaton for strings up to a maximum number of characters. */
export const atMost = (characters: number): Walker => ({
  start: 1,
  cuts: [0],
  classOf: () => 0,
  step: (state) => (state === 0 || state > characters ? 0 : state + 1),
  accepts: (state) => state !== 0,
  acceptsAll: () => false,
  missing: () => 0,
});
