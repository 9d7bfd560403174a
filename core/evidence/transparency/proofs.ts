/** Checks inclusion and consistency proofs (RFC 6962, 2.1). */
import { nodeHash } from './tree.ts';

/**
 * Computes the root from leaf and proof, or returns undefined if the proof does not fit the position.
 * @param above hashes two nodes; checkpoint trees and logs use different hashes.
 */
export function rootOfInclusion<Hash>(
  leaf: Hash,
  position: number,
  size: number,
  proof: readonly Hash[],
  above: (left: Hash, right: Hash) => Hash,
): Hash | undefined {
  if (!isPlace(position) || !isPlace(size) || position >= size) return undefined;
  let [at, last, node, used] = [position, size - 1, leaf, 0];
  for (; last > 0; at = Math.floor(at / 2), last = Math.floor(last / 2)) {
    if (at % 2 === 0 && at === last) continue;
    const sibling = proof[used++];
    if (sibling === undefined) return undefined;
    node = at % 2 === 1 ? above(sibling, node) : above(node, sibling);
  }
  return used === proof.length ? node : undefined;
}

/**
 * Computes both roots of a consistency proof, or returns undefined if it does not fit the sizes. `earlier` is at least
 * 1.
 */
export function rootsOfConsistency(
  earlier: number,
  size: number,
  earlierRoot: Buffer,
  proof: readonly Buffer[],
): { readonly earlier: Buffer; readonly later: Buffer } | undefined {
  if (!isPlace(earlier) || !isPlace(size) || earlier < 1 || earlier > size) return undefined;
  if (earlier === size) return proof.length === 0 ? { earlier: earlierRoot, later: earlierRoot } : undefined;
  let [at, last] = [earlier - 1, size - 1];
  for (; at % 2 === 1; at = Math.floor(at / 2)) last = Math.floor(last / 2);
  // A complete earlier tree is a node of the later one, so its root is not part of the proof.
  const hashes = at === 0 ? [earlierRoot, ...proof] : proof;
  const [first, ...others] = hashes;
  if (!first) return undefined;
  let [older, newer] = [first, first];
  for (const sibling of others) {
    if (last === 0) return undefined;
    if (at % 2 === 1 || at === last) {
      [older, newer] = [nodeHash(sibling, older), nodeHash(sibling, newer)];
      for (; at % 2 === 0 && at > 0; at = Math.floor(at / 2)) last = Math.floor(last / 2);
    } else newer = nodeHash(newer, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? { earlier: older, later: newer } : undefined;
}

const isPlace = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;
