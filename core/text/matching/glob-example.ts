/** Builds a readable example that a glob matches: `scm.get_example`, `docs/example`. */
import { remembered } from '#core/kernel/remembered.ts';
import { contains } from './char-set.ts';
import type { Glob } from './glob.ts';
import type { GlobNode } from './glob-syntax.ts';

export const exampleOf = remembered((glob: Glob): string => glob.literal ?? textOfNodes(glob.nodes));

const textOfNodes = (nodes: readonly GlobNode[]): string => nodes.map(textOfNode).join('');

function textOfNode(node: GlobNode): string {
  switch (node.kind) {
    case 'literal':
      return node.text;
    case 'many':
      return 'example';
    case 'folders':
      return '';
    case 'either':
      // Prefers the first branch with text over an empty one.
      return node.branches.map(textOfNodes).find((text) => text !== '') ?? '';
    case 'chars': {
      const readable = [...'xa0_-'].find((char) => contains(node.set, char.charCodeAt(0)));
      return readable ?? String.fromCodePoint(node.set[0]?.[0] ?? 0x78);
    }
  }
}
