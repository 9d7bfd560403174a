/** Loads a module on first use and keeps it, because `import()` resolves the path of a loaded module on every call. */

/** @param load `() => import('…')`. If it fails, it is called again on the next use. */
export function lazyImport<M>(load: () => Promise<M>): () => M | Promise<M> {
  let kept: M | undefined;
  const keep = (loaded: M): M => {
    kept = loaded;
    return loaded;
  };
  return () => kept ?? load().then(keep);
}

const neededSoon: (() => unknown)[] = [];

/**
 * Works like `lazyImport`, for modules that the first call needs: a function loads them while waiting for its
 * configuration.
 */
export function importedSoon<M>(load: () => Promise<M>): () => M | Promise<M> {
  const loaded = lazyImport(load);
  neededSoon.push(loaded);
  return loaded;
}

/** Preloads modules needed by the first call. If that fails, the call itself loads them. */
export async function importNeededSoon(): Promise<void> {
  await Promise.allSettled(neededSoon.map((load) => load()));
}
