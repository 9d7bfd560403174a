/** A list worked through in pieces: each piece begins where the one before ended, also when the list has changed. */

export class Turns {
  #last: string | undefined;

  /** The whole list, beginning behind what was taken last; from its beginning when that is gone. */
  order(items: readonly string[]): readonly string[] {
    const at = this.#last === undefined ? 0 : items.indexOf(this.#last) + 1;
    return [...items.slice(at), ...items.slice(0, at)];
  }

  /** The next piece begins behind this one. */
  took(item: string): void {
    this.#last = item;
  }
}
