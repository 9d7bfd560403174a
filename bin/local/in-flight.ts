/**
 * Tracks running calls, which continue after their callers have left, so that they are settled before the store closes.
 */
import type { HttpHandler } from '#core/contracts/http.ts';

export function inFlight() {
  const running = new Set<Promise<void>>();
  const watch =
    (handler: HttpHandler): HttpHandler =>
    (event, context) => {
      const call = handler(event, context);
      const end = () => void running.delete(over);
      // The host answers failures.
      const over: Promise<void> = call.then(({ finished }) => (finished ? finished.then(end) : end()), end);
      running.add(over);
      return call;
    };
  return {
    watched: <T extends Record<string, HttpHandler>>(handlers: T): T =>
      Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, watch(handler)])) as T,
    /** Resolves when every running call is settled. */
    over: () => Promise.all(running),
    count: () => running.size,
  };
}
