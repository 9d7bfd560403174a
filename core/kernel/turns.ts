/** Resumes a repeated pass over a list after the last processed item, even if the list has changed in the meantime. */

export class Turns {
  #last: string | undefined;
  #pageEnd: string | undefined;

  /** Returns the whole list, starting after the last processed item, or from the beginning if that item is gone. */
  order(items: readonly string[]): readonly string[] {
    const at = this.#last === undefined ? 0 : items.indexOf(this.#last) + 1;
    return [...items.slice(at), ...items.slice(0, at)];
  }

  /** Records the last processed item. */
  took(item: string): void {
    this.#last = item;
  }

  /**
   * Processes the next items of a list that is read page by page. After the last item, the list starts over from the
   * first.
   * @param most maximum number of items.
   * @param read returns the items after the given one.
   * @param process gets no items only if the list is empty. It reports each item that it has processed.
   */
  async nextPage(
    most: number,
    read: (after: string | undefined, most: number) => Promise<readonly string[]>,
    process: (items: readonly string[], took: (item: string) => void) => Promise<unknown>,
  ): Promise<void> {
    let items = await read(this.#pageEnd, most);
    if (items.length === 0 && this.#pageEnd !== undefined) items = await read(undefined, most);
    await process(items, (item) => {
      this.#pageEnd = item;
    });
    if (items.length < most && (items.length === 0 || this.#pageEnd === items.at(-1))) this.#pageEnd = undefined;
  }
}
