/** A hash tree over texts: one signature covers all, and each can be proved to be included without the others. */
import { hashDomain, sha256 } from '#core/kernel/canonical.ts';

const node = (left: string, right: string): string => sha256(left + right, hashDomain.treeNode);

export const leafHash = (text: string): string => sha256(text, hashDomain.treeLeaf);

/** Returns the next level up. Pairs from the left; an unpaired last node moves up unchanged (as in RFC 6962). */
const above = (level: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => {
    const [left, right] = [level[2 * i]!, level[2 * i + 1]];
    return right === undefined ? left : node(left, right);
  });

/** Computes the root of a tree. @param leaves hashes of at least one text. */
export function treeRoot(leaves: readonly string[]): string {
  let level = leaves;
  while (level.length > 1) level = above(level);
  return level[0]!;
}

/** Returns the hashes that lead from the leaf at `position` to the root. */
export function treePath(leaves: readonly string[], position: number): string[] {
  const path: string[] = [];
  let [level, at] = [leaves, position];
  while (level.length > 1) {
    const sibling = level[at % 2 === 0 ? at + 1 : at - 1];
    if (sibling !== undefined) path.push(sibling);
    [level, at] = [above(level), Math.floor(at / 2)];
  }
  return path;
}

/**
 * Computes the root from a leaf and its path, in a tree of `size` leaves. Returns undefined if the path does not fit.
 */
export function rootFromPath(
  leaf: string,
  position: number,
  size: number,
  path: readonly string[],
): string | undefined {
  if (position >= size) return undefined;
  let [hash, at, width, used] = [leaf, position, size, 0];
  for (; width > 1; width = Math.ceil(width / 2), at = Math.floor(at / 2)) {
    if (at % 2 === 0 && at + 1 === width) continue;
    const sibling = path[used++];
    if (sibling === undefined) return undefined;
    hash = at % 2 === 0 ? node(hash, sibling) : node(sibling, hash);
  }
  return used === path.length ? hash : undefined;
}
