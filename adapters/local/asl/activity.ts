/** Counts what is going on, so that a host can wait for quiet: at stop, and in tests in place of sleeping. */
export function activity() {
  let running = 0;
  const listeners: (() => void)[] = [];
  const add = (by: number) => {
    running += by;
    if (running > 0) return;
    for (const listener of listeners.splice(0)) listener();
  };
  return {
    /** Counts as going on until the promise ends. */
    during<T>(promise: Promise<T>): Promise<T> {
      add(1);
      return promise.finally(() => add(-1));
    },
    /** Work that is counted waits here for something else, which does not count. */
    async parked<T>(promise: Promise<T>): Promise<T> {
      add(-1);
      try {
        return await promise;
      } finally {
        add(1);
      }
    },
    idle(): Promise<void> {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve));
    },
  };
}
