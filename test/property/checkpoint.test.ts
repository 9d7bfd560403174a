/** Hash trees of any size: every leaf has a path that no other leaf shares. */
import crypto from 'node:crypto';
import fc from 'fast-check';
import { leafHash, rootFromPath, treePaths, treeRoot } from '#core/evidence/merkle.ts';

const texts = fc.array(fc.string(), { minLength: 1, maxLength: 40 });

test('[evidence.checkpoint] each path leads to the root only from its own leaf and position', () => {
  fc.assert(
    fc.property(texts, fc.nat(), fc.nat(), (all, at, other) => {
      const leaves = all.map((text, i) => leafHash(`${i} ${text}`));
      const [position, elsewhere] = [at % leaves.length, other % leaves.length];
      const [root, path] = [treeRoot(leaves), treePaths(leaves)(position)];
      expect(rootFromPath(leaves[position]!, position, leaves.length, path)).toBe(root);
      expect(rootFromPath(leafHash('x'), position, leaves.length, path)).not.toBe(root);
      expect(rootFromPath(leaves[position]!, position, leaves.length, [...path, root])).toBeUndefined();
      expect(rootFromPath(leaves[position]!, leaves.length, leaves.length, path)).toBeUndefined();
      if (elsewhere !== position) {
        expect(rootFromPath(leaves[position]!, elsewhere, leaves.length, path)).not.toBe(root);
        expect(rootFromPath(leaves[elsewhere]!, position, leaves.length, path)).not.toBe(root);
      }
    }),
  );
});

test('[evidence.checkpoint] computing the paths of a thousand sessions hashes each tree node once', () => {
  const leaves = Array.from({ length: 1_000 }, (_, i) => leafHash(String(i)));
  const hashed = jest.spyOn(crypto, 'hash');
  const pathOf = treePaths(leaves);
  expect(leaves.map((_, position) => pathOf(position))).toHaveLength(1_000);
  expect(hashed).toHaveBeenCalledTimes(999);
  hashed.mockRestore();
});
