/** The hash tree of RFC 6962: leaf and node hashes, and a frontier that lets a tree grow without reading its leaves. */
import { hash } from 'node:crypto';

export const hashBytes = 32;

const sha256Of = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer');

/** Computes SHA-256(0x00 ‖ leaf). */
export function leafHash(leaf: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(leaf.length + 1);
  bytes[0] = 0;
  bytes.set(leaf, 1);
  return sha256Of(bytes);
}

/** Computes SHA-256(0x01 ‖ left ‖ right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(1 + 2 * hashBytes);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + hashBytes);
  return sha256Of(bytes);
}

export const emptyRoot = (): Buffer => sha256Of(new Uint8Array());

/** Callback for each completed node. `index` counts the nodes of its level from the left; leaves are at level 0. */
type NodeListener = (level: number, index: number, hash: Buffer) => void;

/** The roots of a tree's complete subtrees, largest first. */
export class Frontier {
  #size: number;
  readonly #roots: Buffer[];

  /** Restores a frontier. @throws RangeError if the number of hashes does not fit the size. */
  constructor(size = 0, roots: readonly Uint8Array[] = []) {
    if (!Number.isSafeInteger(size) || size < 0 || roots.length !== ones(size))
      throw new RangeError(`a tree of ${size} leaves has ${ones(size)} hashes at its frontier, not ${roots.length}`);
    if (roots.some(({ length }) => length !== hashBytes)) throw new RangeError('a hash has 32 bytes');
    this.#size = size;
    this.#roots = roots.map((root) => Buffer.from(root));
  }

  get size(): number {
    return this.#size;
  }

  get roots(): readonly Buffer[] {
    return this.#roots;
  }

  /** Appends a leaf by its hash. */
  append(leaf: Buffer, onNode?: NodeListener): void {
    let [level, index, node] = [0, this.#size, leaf];
    onNode?.(level, index, node);
    for (; index % 2 === 1; onNode?.(level, index, node)) {
      node = nodeHash(this.#roots.pop()!, node);
      level++;
      index = (index - 1) / 2;
    }
    this.#roots.push(node);
    this.#size++;
  }

  root(): Buffer {
    return this.#roots.length === 0 ? emptyRoot() : this.#roots.reduceRight((right, left) => nodeHash(left, right));
  }
}

function ones(size: number): number {
  let count = 0;
  for (let left = size; left >= 1; left = Math.floor(left / 2)) count += left % 2;
  return count;
}
