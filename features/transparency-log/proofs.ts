/** Creates inclusion and consistency proofs (RFC 6962, 2.1). */
import { nodeHash } from '#core/evidence/transparency/tree.ts';

/** A complete node of the tree. */
export interface NodeId {
  readonly level: number;
  /** Position within the level, from the left. */
  readonly index: number;
}

/** Reads complete nodes, in the order requested. */
export type ReadNodes = (nodes: readonly NodeId[]) => Promise<readonly Buffer[]>;

/**
 * The leaves from `from` up to, but not including, `to`. A complete subtree at least as large as the range begins at
 * `from`.
 */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the hashes that lead from the leaf at `position` to the root of the tree of `size` leaves.
 * @throws RangeError if the tree has no such leaf.
 */
export async function inclusionProof(position: number, size: number, read: ReadNodes): Promise<Buffer[]> {
  if (!(position >= 0 && position < size)) throw new RangeError(`a tree of ${size} leaves has no leaf ${position}`);
  return hashesOf(inclusionRanges(position, { from: 0, to: size }), read);
}

/**
 * Returns the hashes that prove that the tree of `size` leaves begins with the tree of `earlier` leaves.
 * @throws RangeError if the earlier tree is empty or larger.
 */
export async function consistencyProof(earlier: number, size: number, read: ReadNodes): Promise<Buffer[]> {
  if (!(earlier >= 1 && earlier <= size))
    throw new RangeError(`consistency can be proven from 1 to ${size} leaves, not from ${earlier}`);
  return hashesOf(consistencyRanges(earlier, { from: 0, to: size }, true), read);
}

/** Returns the root of the first `size` leaves. */
export async function rootOf(size: number, read: ReadNodes): Promise<Buffer> {
  return (await hashesOf([{ from: 0, to: size }], read))[0]!;
}

function inclusionRanges(position: number, { from, to }: Range): Range[] {
  if (to - from === 1) return [];
  const middle = from + largestPowerBelow(to - from);
  return position < middle
    ? [...inclusionRanges(position, { from, to: middle }), { from: middle, to }]
    : [...inclusionRanges(position, { from: middle, to }), { from, to: middle }];
}

function consistencyRanges(earlier: number, { from, to }: Range, known: boolean): Range[] {
  if (earlier === to) return known ? [] : [{ from, to }];
  const middle = from + largestPowerBelow(to - from);
  return earlier <= middle
    ? [...consistencyRanges(earlier, { from, to: middle }, known), { from: middle, to }]
    : [...consistencyRanges(earlier, { from: middle, to }, false), { from, to: middle }];
}

/** Returns the largest power of two below `count`, which is at least 2. */
function largestPowerBelow(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

async function hashesOf(ranges: readonly Range[], read: ReadNodes): Promise<Buffer[]> {
  const parts = ranges.map(nodesOf);
  const hashes = await read(parts.flat());
  let at = 0;
  return parts.map(({ length }) => {
    const own = hashes.slice(at, at + length);
    at += length;
    return own.reduceRight((right, left) => nodeHash(left, right));
  });
}

/** Returns the complete subtrees of a range, the largest first. */
function nodesOf({ from, to }: Range): NodeId[] {
  const nodes: NodeId[] = [];
  for (let at = from; at < to; ) {
    let [level, width] = [0, 1];
    for (; width * 2 <= to - at; width *= 2) level++;
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
}
