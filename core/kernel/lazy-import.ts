/** A module that is loaded with its first use and kept: an `import()` of a loaded module still resolves its address each time. */

/** @param load `() => import('…')`. What fails to load is tried again with the next use. */
export function lazyImport<M>(load: () => Promise<M>): () => M | Promise<M> {
  let kept: M | undefined;
  const keep = (loaded: M): M => {
    kept = loaded;
    return loaded;
  };
  return () => kept ?? load().then(keep);
}
