/** A store for one test file: SQLite in memory, gone when closed. */
import { type LocalStore, openStore } from '#adapters/local/sqlite/store.ts';
import { type Store, StoreFault } from '#adapters/tables/store.ts';

export type TestStore = LocalStore;

/** Returns a store whose rows are frozen, since readers must not change them. */
export function testStore(): TestStore {
  const store = openStore();
  const frozen = intercepted(store, async (_, __, go) => freeze(await go()));
  return { ...frozen, scan: store.scan, close: store.close };
}

/** Opens one store for all tests of a file. */
export function useStore(): { readonly store: TestStore } {
  const store = testStore();
  afterAll(() => store.close());
  return { store };
}

type Method = keyof Store;

const methods: readonly Method[] = ['get', 'getMany', 'query', 'put', 'putMany', 'update', 'remove', 'transact'];

/** Returns a store whose calls go through a function, which sends them or does something else. */
export function intercepted(
  store: Store,
  between: (method: Method, args: readonly unknown[], go: () => Promise<unknown>) => Promise<unknown>,
): Store {
  const entries = methods.map((method) => [
    method,
    (...args: unknown[]) =>
      between(method, args, () => (store[method] as (...given: unknown[]) => Promise<unknown>)(...args)),
  ]);
  return Object.fromEntries(entries) as unknown as Store;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}

export interface StoreCall {
  readonly method: Method;
  readonly args: readonly unknown[];
}

/**
 * Returns a store that records its calls. @param between receives each call and a function to send it; by default it
 * just sends
 */
export function recordedStore(
  store: Store,
  between: (call: StoreCall, go: () => Promise<unknown>) => Promise<unknown> = (_, go) => go(),
) {
  const calls: StoreCall[] = [];
  const recorded = intercepted(store, (method, args, go) => {
    const call = { method, args };
    calls.push(call);
    return between(call, go);
  });
  return { store: recorded, calls, of: (method: Method) => calls.filter((call) => call.method === method) };
}

/** Returns a store that does not respond. */
export const downStore = (): Store =>
  intercepted(testStore(), async () => {
    throw new StoreFault(new Error('connect ECONNREFUSED'));
  });
