/** Calls go on after their callers have left: they are settled before the store goes. */
import type { HttpHandler } from '#core/contracts/http.ts';

export function inFlight() {
  const running = new Set<Promise<void>>();
  const watch =
    (handler: HttpHandler): HttpHandler =>
    (event, context) => {
      const call = handler(event, context);
      const over = call.then(
        ({ finished }) => finished,
        () => undefined, // the host answers what failed
      );
      running.add(over);
      void over.then(() => running.delete(over));
      return call;
    };
  return {
    watched: <T extends Record<string, HttpHandler>>(handlers: T): T =>
      Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, watch(handler)])) as T,
    /** Resolves when every call that runs now is settled. */
    over: () => Promise.all(running),
    count: () => running.size,
  };
}
