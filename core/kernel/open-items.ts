/**
 * Items that come and go, such as open requests. A `Set` of them would fill the memory of long-lived objects: V8 chains
 * the outgrown tables of a `Set` for its iterators, and what such a table names survives every minor collection.
 */

interface Place<T> {
  readonly item: T;
  at: number;
}

export class OpenItems<T> {
  readonly #places: Place<T>[] = [];

  get size(): number {
    return this.#places.length;
  }

  /** @returns a function that removes the item. */
  add(item: T): () => void {
    const place = { item, at: this.#places.length };
    this.#places.push(place);
    return () => this.#remove(place);
  }

  /** Returns the items in no order. */
  all(): T[] {
    return this.#places.map(({ item }) => item);
  }

  /** Removes an item, whose place the last one takes. Does nothing if it was removed before. */
  #remove(place: Place<T>): void {
    if (this.#places[place.at] !== place) return;
    const last = this.#places.pop()!;
    if (last === place) return;
    this.#places[place.at] = last;
    last.at = place.at;
  }
}
