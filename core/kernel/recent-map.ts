/** A map of bounded size that removes the least recently used entry first. */
export class RecentMap<K, V> {
  readonly #max: number;
  readonly #entries = new Map<K, V>();
  /** The most recently used key. Moving it to the end once more would only leave a gap in the map. */
  #latest: K | undefined;

  /** @param options.max maximum number of entries. */
  constructor({ max }: { readonly max: number }) {
    this.#max = max;
  }

  /**
   * Returns the value and marks it as used. To keep reads cheap, it is not marked while the map is at most half full.
   */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (this.#entries.size <= this.#max / 2) return value;
    if (key === this.#latest && value !== undefined) return value;
    if (value !== undefined || this.#entries.has(key)) this.set(key, value as V);
    return value;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    // While the map is at most half full, a key keeps its place. Each removal leaves a gap, and each new V8 table
    // prevents everything that the previous one referenced from being collected early.
    if (key !== this.#latest && this.#entries.size > this.#max / 2) this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#latest = key;
    if (this.#entries.size <= this.#max) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as K);
  }

  /** Returns the key's value. If there is none, stores and returns the result of `make`. */
  getOrInsertComputed(key: K, make: (key: K) => V): V {
    const known = this.get(key);
    if (known !== undefined || this.#entries.has(key)) return known as V;
    const made = make(key);
    this.set(key, made);
    return made;
  }

  values(): MapIterator<V> {
    return this.#entries.values();
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
