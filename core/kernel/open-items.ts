/**
 * Items that come and go, such as open requests. A `Set` of them would fill the memory of long-lived objects: V8 keeps
 * a `Set`'s outgrown tables in a chain for its iterators, and everything that such a table references survives every
 * minor collection.
 */

interface OpenItem<T> {
  readonly item: T;
  at: number;
}

export class OpenItems<T> {
  readonly #places: OpenItem<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** @returns a function that removes the item. */
  add(item: T): () => void {
    const place = { item, at: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** Returns the items in no particular order. */
  all(): T[] {
    return this.#places.map(({ item }) => item);
  }

  /** Removes an item and moves the last item to its place. Does nothing if the item was already removed. */
  #remove(place: OpenItem<T>): void {
    if (this.#places[place.at] !== place) return;
    const last = this.#places.pop()!;
    if (last === place) return;
    this.#places[place.at] = last;
    last.at = place.at;
  }
}
