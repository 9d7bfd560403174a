/** Checks the capabilities named in rules, because a misspelt one would make a rule match nothing, or too much. */
import { capabilities } from '#core/contracts/envelope.ts';
import { compileGlob, matchesAll } from '#core/text/matching/glob.ts';
import type { GlobNode } from '#core/text/matching/glob-syntax.ts';

/**
 * Returns the words of a rule's capability pattern that no call can have. A pattern with wildcards is returned whole.
 */
export const unknownCapabilities = (pattern: string | undefined): string[] => unknownWords(pattern, capabilities);

/** Returns the unknown words of a pattern. A pattern with wildcards is returned whole if it matches no known word. */
export function unknownWords(pattern: string | undefined, known: readonly string[]): string[] {
  if (pattern === undefined || matchesAll(pattern)) return [];
  const { nodes, matches } = compileGlob(pattern, 'name');
  const words = expandPattern(nodes);
  if (words === undefined) return known.some(matches) ? [] : [pattern];
  return words.filter((word) => !known.includes(word));
}

/** Returns every string that a pattern without wildcards matches. */
function expandPattern(nodes: readonly GlobNode[]): string[] | undefined {
  let words = [''];
  for (const node of nodes) {
    const next = node.kind === 'literal' ? [node.text] : node.kind === 'either' ? branchesOf(node.branches) : undefined;
    if (!next) return undefined;
    words = words.flatMap((word) => next.map((text) => word + text));
  }
  return words;
}

function branchesOf(branches: readonly (readonly GlobNode[])[]): string[] | undefined {
  const words = branches.map(expandPattern);
  return words.every((branch) => branch !== undefined) ? words.flat() : undefined;
}
