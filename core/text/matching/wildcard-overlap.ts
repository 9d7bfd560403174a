/** Checks whether a Git refspec pattern with one wildcard and a glob of names can match the same string. */
import { Automaton } from './automaton.ts';
import { foldCase, isAscii } from './fold-unicode.ts';
import { compileGlob } from './glob.ts';

const maxStates = 1000;

/**
 * Returns whether both may match a string below the folder `within`. `*` in the pattern matches any text, including
 * slashes. If in doubt, returns true.
 */
export function mayMatchBoth(
  pattern: string,
  { within, glob }: { readonly within: string; readonly glob: string },
): boolean {
  const star = pattern.indexOf('*');
  if (star === -1 || !isAscii(pattern) || !isAscii(glob)) return true;
  // A letter before `*` may combine with a mark after it to form another letter.
  const before = foldCase(pattern.slice(0, star)).replace(/[^/_.\d-]$/, '');
  const behind = foldCase(pattern.slice(star + 1));
  const names = new Automaton([{ kind: 'literal', text: within }, ...compileGlob(glob, 'name').nodes]);
  const walk = (state: number, text: string): number =>
    [...text].reduce((at, char) => names.step(at, char.codePointAt(0)!), state);
  const reached = new Set([walk(names.start, before)]);
  for (const state of reached) {
    if (reached.size > maxStates || names.accepts(walk(state, behind))) return true;
    for (const codePoint of names.cuts) reached.add(names.step(state, codePoint));
  }
  return false;
}
