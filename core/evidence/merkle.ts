/**
 * A hash tree over strings. One signature covers all of them, and each can be proved to be included without the others.
 */
import { hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { rootOfInclusion } from './transparency/proofs.ts';

const node = (left: string, right: string): string => sha256(left + right, hashDomain.treeNode);

export const leafHash = (text: string): string => sha256(text, hashDomain.treeLeaf);

/** Returns the next level up. Pairs nodes from the left; an unpaired last node moves up unchanged (as in RFC 6962). */
const nextLevel = (level: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => {
    const [left, right] = [level[2 * i]!, level[2 * i + 1]];
    return right === undefined ? left : node(left, right);
  });

/** Returns all levels of a tree, from leaves to root. @param leaves hashes of one or more strings. */
function levelsOf(leaves: readonly string[]): readonly (readonly string[])[] {
  const levels = [leaves];
  for (let level = leaves; level.length > 1; levels.push(level)) level = nextLevel(level);
  return levels;
}

/** Computes the root of a tree. @param leaves hashes of one or more strings. */
export const treeRoot = (leaves: readonly string[]): string => levelsOf(leaves).at(-1)![0]!;

/**
 * Returns a function that maps a leaf's position to the hashes that lead to the root. Hashes the tree only once for all
 * leaves.
 */
export function treePaths(leaves: readonly string[]): (position: number) => string[] {
  const levels = levelsOf(leaves);
  return (position) =>
    levels.flatMap((level, height) => {
      const at = Math.floor(position / 2 ** height);
      return level[at % 2 === 0 ? at + 1 : at - 1] ?? [];
    });
}

/**
 * Computes the root from a leaf and its path, in a tree of `size` leaves. Returns undefined if the path does not fit.
 */
export const rootFromPath = (
  leaf: string,
  position: number,
  size: number,
  path: readonly string[],
): string | undefined => rootOfInclusion(leaf, position, size, path, node);
