/** Runs work at start and again after every pause. Runs never overlap, and a failure is only reported. */
export interface Schedule {
  /** Lets the current run finish and starts no others. */
  stop(): Promise<void>;
}

export function repeatEvery(pauseMs: number, work: () => Promise<unknown>, report: (fault: unknown) => void): Schedule {
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      await work().catch(report);
      await pause(pauseMs, stopping.promise);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      stopping.resolve();
      await running;
    },
  };
}

function pause(ms: number, cancelled: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return Promise.race([promise, cancelled]).finally(() => clearTimeout(timer));
}
