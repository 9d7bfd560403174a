/** Processes items with bounded concurrency. */

/**
 * Runs `work` on items, at most `most` at a time, until there are none left or `goOn` returns false. Work that has
 * started is always finished.
 * @returns the number of items taken.
 * @throws the first error thrown by `work`, after all started work has ended.
 */
export async function sideBySide<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<unknown>,
  goOn: () => boolean = () => true,
): Promise<number> {
  const rest = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let taken = 0;
  let failed: { readonly thrown: unknown } | undefined;
  const worker = async () => {
    try {
      while (!failed && goOn()) {
        const next = await rest.next();
        if (next.done) return;
        taken++;
        await work(next.value);
      }
    } catch (thrown) {
      failed ??= { thrown };
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  if (failed) throw failed.thrown;
  return taken;
}
