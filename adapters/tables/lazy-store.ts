/** Stores whose code is loaded on first use. */
type Methods<Store> = { [Name in keyof Store]: (...args: never[]) => Promise<unknown> };

/**
 * Returns a store that is loaded on first use.
 * @param methods every method of the store; all are asynchronous.
 */
export function lazyStore<Store extends Methods<Store>>(
  load: () => Promise<Store>,
  methods: Readonly<Record<keyof Store & string, true>>,
): Store {
  let loaded: Promise<Store> | undefined;
  const later = Object.keys(methods).map((name) => [
    name,
    async (...args: never[]) => {
      loaded ??= load();
      return (await loaded)[name as keyof Store](...args);
    },
  ]);
  return Object.fromEntries(later) as Store;
}
