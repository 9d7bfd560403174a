/** The texts a normalised call can hold, as automata: the analysis asks about these only. */
import type { Walker } from './automaton.ts';

/** An automaton written as a function over named states; the dead state is 0. */
function walker(start: string, cuts: readonly number[], next: Next, ends: (state: string) => boolean): Walker {
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
      const key = state * 1024 + classOf(code);
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
  };
}

type Next = (state: string, char: string) => string | undefined;

const around = (chars: string): number[] => [...chars].flatMap((char) => [char.charCodeAt(0), char.charCodeAt(0) + 1]);

/** Protocols, tools, capabilities: not empty, lower case, no blank at either end. */
export const normalName = (): Walker =>
  walker(
    'start',
    [0x20, 0x21, 0x41, 0x5b, 0x7f, 0xa0],
    (state, char) => {
      if (char < ' ' || (char >= 'A' && char <= 'Z') || (char >= '\u007f' && char < '\u00a0')) return undefined;
      if (char !== ' ') return 'name';
      return state === 'start' ? undefined : 'blank';
    },
    (state) => state === 'name',
  );

/**
 * Targets and textual parameters: words with one blank between them, each a resolved path. Slightly wider than what
 * normalisation yields where a word holds `:` or `@` (URLs), so "can never match" is never said wrongly.
 */
export const normalText = (lines: boolean): Walker =>
  walker(
    'empty|start',
    [...around('\n %./:@\\'), 0x20, 0x30, 0x3a, 0x41, 0x47, 0x61, 0x67, 0x7f, 0xa0],
    (state, char) => nextInText(state, char, lines),
    (state) => state === 'empty|start' || wordEnds(state),
  );

/**
 * A state is `<word>|<segment>` and, behind a percent sign, `|%` or `|%h`. Word: `empty` (nothing yet), `blank`
 * (behind a blank), `climb` (only `..` so far), `root` (only `/`), `path`, `any` (`:` or `@` seen).
 */
function nextInText(state: string, char: string, lines: boolean): string | undefined {
  if (char === '\\' || (char < ' ' && !(lines && char === '\n')) || (char >= '\u007f' && char < '\u00a0'))
    return undefined;
  const [word = '', segment = '', percent] = state.split('|');
  const isHex = /[0-9a-f]/i.test(char);
  if (percent === '%h' && isHex) return undefined;
  const mark = char === '%' ? '|%' : percent === '%' && isHex ? '|%h' : '';
  if (char === ' ' || char === '\n') return wordEnds(`${word}|${segment}`) ? 'blank|start' : undefined;
  if (word === 'any' || char === ':' || char === '@') return `any|name${mark}`;
  if (char === '/') return nextSegment(word, segment);
  return `${word}|${segmentAfter(segment, char)}${mark}`;
}

function nextSegment(word: string, segment: string): string | undefined {
  if (segment === 'start') return word === 'empty' || word === 'blank' ? 'root|start' : undefined;
  if (segment === '.') return undefined;
  if (segment !== '..') return 'path|start';
  return word === 'empty' || word === 'blank' || word === 'climb' ? 'climb|start' : undefined;
}

const segmentAfter = (segment: string, char: string): string =>
  char !== '.' ? 'name' : segment === 'start' ? '.' : segment === '.' ? '..' : 'name';

function wordEnds(state: string): boolean {
  const [word, segment] = state.split('|');
  if (segment === 'name') return true;
  if (segment === 'start') return word === 'root';
  const atFront = word === 'empty' || word === 'blank';
  return segment === '.' ? atFront : atFront || word === 'climb';
}

/** At most so many characters. */
export const atMost = (characters: number): Walker => ({
  start: 1,
  cuts: [0],
  classOf: () => 0,
  step: (state) => (state === 0 || state > characters ? 0 : state + 1),
  accepts: (state) => state !== 0,
  acceptsAll: () => false,
});
