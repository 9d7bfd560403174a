/** The tree computed from its frontier and nodes, compared with the recursive definition in RFC 6962. */
import fc from 'fast-check';
import { rootOfInclusion, rootsOfConsistency } from '#core/evidence/transparency/proofs.ts';
import { emptyRoot, Frontier, leafHash, nodeHash } from '#core/evidence/transparency/tree.ts';
import { consistencyProof, inclusionProof, type NodeId, rootOf } from '../proofs.ts';

/** Computes the Merkle tree hash (MTH) exactly as RFC 6962 defines it. */
function naiveRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return emptyRoot();
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

const most = 140;
const nodes = new Map<string, Buffer>();
const tree = new Frontier();
const leaves = Array.from({ length: most }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));
const rootsBySize = [emptyRoot()];
for (const leaf of leaves) {
  tree.append(leaf, (level, index, hash) => void nodes.set(`${level}/${index}`, hash));
  rootsBySize.push(tree.root());
}
const read = async (ids: readonly NodeId[]) => ids.map(({ level, index }) => nodes.get(`${level}/${index}`)!);
const sizes = fc.integer({ min: 1, max: most });

test('[transparency.tree] the frontier’s root matches the definition at every size, and the frontier continues from its hashes', async () => {
  for (let size = 0; size <= most; size++) expect(rootsBySize[size]).toEqual(naiveRoot(leaves.slice(0, size)));
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(20), async (size, more) => {
      const first = new Frontier();
      for (const leaf of leaves.slice(0, size)) first.append(leaf);
      const second = new Frontier(first.size, first.roots);
      for (const leaf of leaves.slice(size, size + more)) second.append(leaf);
      expect(second.root()).toEqual(rootsBySize[Math.min(size + more, most)]);
      expect(await rootOf(size, read)).toEqual(rootsBySize[size]);
    }),
  );
});

test('[transparency.tree] a leaf is proved to be at its own position and no other', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, a, b) => {
      const [position, other] = [a % size, b % size];
      const proof = await inclusionProof(position, size, read);
      const root = rootsBySize[size]!;
      expect(rootOfInclusion(leaves[position]!, position, size, proof, nodeHash)).toEqual(root);
      expect(rootOfInclusion(leaves[position]!, position, size, [...proof, root], nodeHash)).toBeUndefined();
      expect(rootOfInclusion(leaves[position]!, size, size, proof, nodeHash)).toBeUndefined();
      if (proof.length > 0)
        expect(rootOfInclusion(leaves[position]!, position, size, proof.slice(1), nodeHash)).toBeUndefined();
      if (other === position) return;
      expect(rootOfInclusion(leaves[other]!, position, size, proof, nodeHash)).not.toEqual(root);
      expect(rootOfInclusion(leaves[position]!, other, size, proof, nodeHash)).not.toEqual(root);
    }),
  );
});

test('[transparency.tree] a tree is proved to extend its own earlier state and no other', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, sizes, fc.nat(), async (a, b, bit) => {
      const [earlier, size] = [Math.min(a, b), Math.max(a, b)];
      const proof = await consistencyProof(earlier, size, read);
      const roots = { earlier: rootsBySize[earlier]!, later: rootsBySize[size]! };
      expect(rootsOfConsistency(earlier, size, roots.earlier, proof)).toEqual(roots);
      expect(rootsOfConsistency(earlier, size, roots.earlier, [...proof, roots.later])).toBeUndefined();
      if (proof.length === 0) return;
      expect(rootsOfConsistency(earlier, size, roots.earlier, proof.slice(0, -1))).not.toEqual(roots);
      const changed = proof.map((hash) => Buffer.from(hash));
      changed[bit % proof.length]![bit % 32]! ^= 1;
      expect(rootsOfConsistency(earlier, size, roots.earlier, changed)).not.toEqual(roots);
    }),
  );
});
