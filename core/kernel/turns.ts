/** Resumes a repeated pass over a list after the last processed item, even if the list has changed in the meantime. */

export class Turns {
  #last: string | undefined;

  /** Last processed item of a list that is read page by page. Undefined before the first item. */
  after: string | undefined;

  /** Returns the whole list, starting after the last processed item, or from the beginning if that item is gone. */
  order(items: readonly string[]): readonly string[] {
    const at = this.#last === undefined ? 0 : items.indexOf(this.#last) + 1;
    return [...items.slice(at), ...items.slice(0, at)];
  }

  /** Records the last processed item. */
  took(item: string): void {
    this.#last = item;
  }
}
