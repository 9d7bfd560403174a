/**
 * Bounded buffer for the newest items of several owners. When it is full, the owner with the most items loses its
 * oldest one.
 */

interface RingEntry<T> {
  readonly at: number;
  readonly item: T;
}

export class FairRing<T> {
  readonly #max: number;
  /** Items of each owner, oldest first. Lists are never empty. */
  #owners = new Map<string, RingEntry<T>[]>();
  #size = 0;
  #next = 0;

  /** @param max maximum number of items across all owners. */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** @returns the item removed to make room. */
  add(owner: string, item: T): T | undefined {
    const held = { at: this.#next++, item };
    const own = this.#owners.get(owner);
    if (own) own.push(held);
    else this.#owners.set(owner, [held]);
    this.#size += 1;
    return this.#size > this.#max ? this.#removed() : undefined;
  }

  /** Returns all items, oldest first. */
  items(): T[] {
    const all = [...this.#owners.values()].flat();
    return all.sort((a, b) => a.at - b.at).map(({ item }) => item);
  }

  /** Returns each owner's items, oldest first, and empties the buffer. */
  take(): ReadonlyMap<string, readonly T[]> {
    const taken = new Map([...this.#owners].map(([owner, own]) => [owner, own.map(({ item }) => item)]));
    this.#owners = new Map();
    this.#size = 0;
    return taken;
  }

  #removed(): T | undefined {
    let largest: readonly [string, RingEntry<T>[]] | undefined;
    for (const each of this.#owners) if (!largest || each[1].length > largest[1].length) largest = each;
    const [owner, own] = largest!;
    const gone = own.shift();
    if (own.length === 0) this.#owners.delete(owner);
    this.#size -= 1;
    return gone?.item;
  }
}
