/** Checks that a configuration's patterns compile. */

import type { Path, Problem } from '#core/contracts/problems.ts';
import { describeAt } from '#core/kernel/issue-words.ts';
import { compileGlob } from '#core/text/matching/glob.ts';

export const globProblems = (patterns: readonly string[], pathOf: (index: number) => Path): Problem[] =>
  patterns.flatMap((pattern, i) =>
    problemOfAttempt(() => void compileGlob(pattern, 'name'), pattern, pathOf(i), 'a glob'),
  );

/** Runs an attempt and returns any error as a problem with the text. */
export function problemOfAttempt(attempt: () => void, text: string, path: Path, allowed: string): Problem[] {
  try {
    attempt();
    return [];
  } catch (thrown) {
    return [{ path, found: describeAt([], text), allowed: `${allowed} (${(thrown as Error).message})` }];
  }
}
