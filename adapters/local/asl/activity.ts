/** Counts what is going on, so that a host can wait for quiet: at stop, and in tests in place of sleeping. */
export function activity() {
  let running = 0;
  let listeners: (() => void)[] = [];
  const add = (by: number) => {
    running += by;
    if (running > 0) return;
    const told = listeners;
    listeners = [];
    for (const listener of told) listener();
  };
  return {
    /** Counts as going on until the promise ends. */
    during<T>(promise: Promise<T>): Promise<T> {
      add(1);
      return promise.finally(() => add(-1));
    },
    /** Something counted begins to wait for the world outside; call the answer, once, when it goes on. */
    park(): () => void {
      add(-1);
      return () => add(1);
    },
    idle(): Promise<void> {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve));
    },
  };
}
