/** What ends a gateway process: a signal, or the end of the shell in which npm started it. */

/** The first signal drains, a second one ends at once. */
export function endingSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
    whenShellEnds(resolve);
  });
}

const lookEveryMs = 500;

/**
 * `npm start` and `npx` run a shell between themselves and the gateway. Where that shell passes no signal on, a signal to npm ends
 * npm and the shell alone: a process whose parent has gone then gets another one.
 */
function whenShellEnds(end: () => void): void {
  const { npm_lifecycle_event: script } = process.env;
  if (process.platform === 'win32' || (script !== 'start' && script !== 'npx')) return;
  const shell = process.ppid;
  const looking = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(looking);
    end();
  }, lookEveryMs).unref();
}
