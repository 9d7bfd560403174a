/** Patterns of a configuration: each one compiles. */

import { foundAt, type Path, type Problem } from '#core/contracts/problems.ts';
import { globMatches } from '#core/text/matching/glob.ts';

export const globProblems = (patterns: readonly string[], pathOf: (index: number) => Path): Problem[] =>
  patterns.flatMap((pattern, i) => problemOfAttempt(() => void globMatches(pattern, ''), pattern, pathOf(i), 'a glob'));

/** What an attempt says about a text, as a problem. */
export function problemOfAttempt(attempt: () => void, text: string, path: Path, allowed: string): Problem[] {
  try {
    attempt();
    return [];
  } catch (thrown) {
    return [{ path, found: foundAt([], text), allowed: `${allowed} (${(thrown as Error).message})` }];
  }
}
