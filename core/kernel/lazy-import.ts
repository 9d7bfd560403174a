/** Loads a module on first use and keeps it, because `import()` resolves the path of a loaded module every time. */

/** @param load `() => import('…')`. A failed load is retried on the next use. */
export function lazyImport<M>(load: () => Promise<M>): () => M | Promise<M> {
  let kept: M | undefined;
  const keep = (loaded: M): M => {
    kept = loaded;
    return loaded;
  };
  return () => kept ?? load().then(keep);
}
