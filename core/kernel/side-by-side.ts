/** Work on many items with so many under way at once. */

/**
 * Takes items as work ends, until there are none or `goOn` says no; what has begun is always finished.
 * @returns how many items were taken.
 * @throws what `work` throws, the first of it, when all that had begun has ended.
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
