/** Counts what is going on, so that a host can wait for quiet: at stop, and in tests in place of sleeping. */
export function activity() {
  let running = 0;
  let listeners: (() => void)[] = [];
  /** Quiet is reported one turn of the loop later: what just ended may have set off something else. */
  const add = (by: number) => {
    running += by;
    if (running === 0) setImmediate(tell);
  };
  const tell = () => {
    if (running > 0) return;
    const woken = listeners;
    listeners = [];
    for (const listener of woken) listener();
  };
  return {
    /** Counts as going on until the promise ends. */
    during<T>(promise: Promise<T>): Promise<T> {
      add(1);
      return promise.finally(() => add(-1));
    },
    /** Something counted waits for the world outside: a timer, a decision. */
    async parked<T>(promise: Promise<T>): Promise<T> {
      add(-1);
      try {
        return await promise;
      } finally {
        add(1);
      }
    },
    idle(): Promise<void> {
      return new Promise((resolve) => {
        listeners.push(resolve);
        setImmediate(tell);
      });
    },
  };
}
