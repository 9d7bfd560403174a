/**
 * Parses a line that consists of one plain command into arguments. Lines that a shell would have to evaluate are
 * refused.
 */
import { parseShell } from '#core/effects/shell/parser.ts';
import type { Budget } from '#core/effects/shell/syntax.ts';
import { expandWord } from '#core/effects/shell/words.ts';

/**
 * Returns the arguments. Returns undefined for pipes, lists, redirections, variables, substitutions, wildcards,
 * assignments and lines that cannot be parsed.
 */
export function shellWords(line: string): readonly string[] | undefined {
  // `!` inverts the exit code and `time` prints additional output; the syntax tree contains neither.
  if (/^\s*(?:!|time\b)/.test(line)) return undefined;
  try {
    const budget: Budget = { nodes: 0 };
    const [list, ...others] = parseShell(line, budget);
    if (budget.doubt !== undefined || !list || others.length > 0 || list.rest.length > 0 || list.background)
      return undefined;
    const [command, ...piped] = list.first;
    if (command?.kind !== 'simple' || piped.length > 0) return undefined;
    if (command.assignments.length > 0 || command.redirects.length > 0) return undefined;
    const words = command.words.flatMap((word) => (word.inner.length > 0 ? [undefined] : expandWord(word)));
    const plain = words.every((word) => word?.known && !word.glob && !word.text.startsWith('~'));
    return plain && words.length > 0 ? words.map((word) => word!.text) : undefined;
  } catch {
    return undefined;
  }
}
