/** Makes a pattern ignore case. Each letter becomes a set of both cases, so that the analysis stays exact. */
import { mergeRanges } from './char-set.ts';
import type { GlobNode } from './glob-syntax.ts';

export function inAnyCase(node: GlobNode): GlobNode[] {
  if (node.kind === 'either')
    return [{ kind: 'either', branches: node.branches.map((branch) => branch.flatMap(inAnyCase)) }];
  if (node.kind !== 'literal') return [node];
  return [...node.text].map((char) => ({
    kind: 'chars',
    set: mergeRanges(
      [char.toLowerCase(), char.toUpperCase()].map((each) => [each.codePointAt(0)!, each.codePointAt(0)!]),
    ),
  }));
}
