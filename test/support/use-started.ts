/** Resources that tests start before they run and stop afterwards. */
import type { Loose } from './loose.ts';

interface Stoppable {
  stop(): unknown;
}

/**
 * Starts something before the tests of a file or `describe`, and stops it after them.
 * @param per `test` starts a new one before each test
 * @returns the instance started last; a function taken from it earlier calls the current instance
 */
export function useStarted<T extends Stoppable>(start: () => T | Promise<T>, per: 'file' | 'test' = 'file'): T {
  let made: T | undefined;
  const [before, after] = per === 'file' ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    made = await start();
  });
  after(async () => {
    await made?.stop();
  });
  return new Proxy({} as T, {
    get(_, name) {
      const member = () => (made as Record<PropertyKey, Loose>)[name];
      if (made === undefined) return (...given: unknown[]) => member()(...given);
      return typeof member() === 'function' ? member().bind(made) : member();
    },
    set: (_, name, value) => Reflect.set(made!, name, value),
    // Supports copies such as `{ ...server }`.
    ownKeys: () => Reflect.ownKeys(made!),
    getOwnPropertyDescriptor: (_, name) => ({ ...Reflect.getOwnPropertyDescriptor(made!, name), configurable: true }),
  });
}
