/**
 * Configured patterns in RE2 syntax, so that neither a pattern nor a text can make matching slow. All patterns of a
 * phase run as one automaton, in one pass over the text.
 */
import { RE2JS, RE2Set } from 're2js';
import type { Program } from './program.ts';

/** Maximum number of instructions in a pattern or a set, which limits memory and the work per character of a stream. */
const instructionsAtMost = 20_000;
const stateBytesAtMost = 2 * 1024 * 1024;
/** Maximum number of matches that are counted. */
const countAtMost = 1000;

/** Returns the problem with a configured pattern as a sentence fragment for its author, or undefined if it is valid. */
export function regexProblem(pattern: string): string | undefined {
  try {
    const compiled = RE2JS.compile(pattern);
    if (compiled.programSize() > instructionsAtMost) return 'a pattern with fewer or smaller repetitions';
    if (compiled.test('')) return 'a pattern that does not match empty text, because such a pattern matches everything';
    return undefined;
  } catch (thrown) {
    return `RE2 syntax, without lookaround and back references (${(thrown as Error).message})`;
  }
}

export interface PatternSet {
  /** Returns the indexes of the patterns that match. */
  matching(text: string): readonly number[];
  /** Returns the number of matches of a pattern, up to 1,000. */
  count(index: number, text: string): number;
  /** Compiled program that can be walked character by character. */
  readonly program: Program;
}

/** Compiles a set. @throws Error if a pattern is not valid RE2 syntax or the set is too large. */
export function patternSet(patterns: readonly string[]): PatternSet {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, stateBytesAtMost);
  for (const pattern of patterns) set.add(pattern);
  set.compile();
  const single = new Map<number, RE2JS>();
  const compiled = (index: number): RE2JS => {
    const known = single.get(index) ?? RE2JS.compile(patterns[index]!);
    single.set(index, known);
    return known;
  };
  return {
    matching: (text) => (patterns.length === 0 ? [] : set.match(text)),
    count(index, text) {
      const matcher = compiled(index).matcher(text);
      let count = 0;
      while (count < countAtMost && matcher.find()) count++;
      return count;
    },
    program: set.prog as unknown as Program,
  };
}
