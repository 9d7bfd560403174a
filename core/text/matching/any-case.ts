/** Makes a pattern ignore case. Each letter becomes a set of its two cases, so that the analysis stays exact. */
import { rememberedText } from '#core/kernel/remembered.ts';
import { mergeRanges } from './char-set.ts';
import type { GlobNode } from './glob-syntax.ts';

export function inAnyCase(node: GlobNode): GlobNode[] {
  if (node.kind === 'either')
    return [{ kind: 'either', branches: node.branches.map((branch) => branch.flatMap(inAnyCase)) }];
  return node.kind === 'literal' ? Array.from(node.text, charInAnyCase) : [node];
}

const charInAnyCase = rememberedText(
  (char): GlobNode => ({
    kind: 'chars',
    set: mergeRanges(
      [char.toLowerCase(), char.toUpperCase()].map((each) => [each.codePointAt(0)!, each.codePointAt(0)!]),
    ),
  }),
);
