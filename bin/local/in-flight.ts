/**
 * Tracks running calls, which continue after their callers disconnect, so that they are settled before the store
 * closes.
 */
import type { HttpHandler } from '#core/contracts/http.ts';
import { OpenItems } from '#core/kernel/open-items.ts';

export function inFlight() {
  const running = new OpenItems<Promise<void>>();
  const watch =
    (handler: HttpHandler): HttpHandler =>
    (event, context) => {
      const call = handler(event, context);
      // Failures are reported to the caller by the host.
      const over = call.then(
        ({ finished }) => finished,
        () => {},
      );
      const end = running.add(over);
      void over.then(end);
      return call;
    };
  return {
    watched: <T extends Record<string, HttpHandler>>(handlers: T): T =>
      Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [name, watch(handler)])) as T,
    /** Resolves when every running call is settled. */
    over: () => Promise.all(running.all()),
    count: () => running.size,
  };
}
