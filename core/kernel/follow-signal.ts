/** A controller that aborts with a signal, for as long as a call lasts. */

/**
 * Aborts `controller` when `signal` is aborted, with its reason. Costs a tenth of `AbortSignal.any`, which leaves references to be
 * collected behind every call.
 * @returns ends it; to be called when the call is over, since the signal may outlive it.
 */
export function follow(controller: AbortController, signal: AbortSignal): () => void {
  const abort = () => controller.abort(signal.reason);
  if (signal.aborted) {
    abort();
    return () => {};
  }
  signal.addEventListener('abort', abort, { once: true });
  return () => signal.removeEventListener('abort', abort);
}
