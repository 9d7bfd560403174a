/**
 * Counts running work, so that a host can wait until all work is done, both at shutdown and, instead of sleeping, in
 * tests.
 */
export function activity() {
  let running = 0;
  let listeners: (() => void)[] = [];
  /**
   * Reports that all work has ended, one turn of the event loop later, because work that just ended may have started
   * other work.
   */
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
    /** Counts work as running until the promise settles. */
    during<T>(promise: Promise<T>): Promise<T> {
      add(1);
      return promise.finally(() => add(-1));
    },
    /** Suspends counting while work waits for an outside event, such as a timer or a decision. */
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
