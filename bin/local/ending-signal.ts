/** Waits for the event that ends a gateway process: a signal, or the end of the shell in which npm started it. */

/** Resolves at the first signal, after which the gateway drains. A second signal ends the process immediately. */
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
 * Detects the end of a shell that does not forward signals. `npm start` and `npx` run a shell between themselves and
 * the gateway, and a signal to npm may end only npm and that shell. The process then gets another parent.
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
