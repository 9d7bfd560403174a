/** Single flight: of many who ask the same at once, one goes and the others wait for what it brings. */
import type { CachedReply, Flight, Lookup } from './ports.ts';

interface Waiter {
  settle(lookup: Lookup): void;
}

/** How a flight ends for those who wait: with a lookup each, or with nothing. */
export type FlightResult = (() => Lookup) | undefined;

/** One queue a key. Handing over is synchronous, so that between two flights no third can slip in and no waiter is lost. */
export class SingleFlight {
  readonly #waiting = new Map<string, Set<Waiter>>();

  inFlight(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Claims the key; every call of it until `resolve` waits. */
  start(key: string): void {
    this.#waiting.set(key, new Set());
  }

  /**
   * Waits for the flight at hand.
   * @throws the signal's reason when it aborts first; the waiter leaves the queue.
   */
  wait(key: string, signal: AbortSignal): Promise<Lookup> {
    return new Promise((resolve, reject) => {
      const queue = this.#waiting.get(key)!;
      const leave = () => {
        queue.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        settle: (lookup) => {
          signal.removeEventListener('abort', leave);
          resolve(lookup);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(waiter);
    });
  }

  /**
   * Ends the flight. With a result all waiters get it; without one the first of them starts next and the others
   * go on waiting for it.
   * @param keep what `Flight.keep` of a next flight does.
   */
  resolve(key: string, result: FlightResult, keep: (reply: CachedReply) => FlightResult): void {
    const queue = this.#waiting.get(key);
    if (!queue) return;
    if (result) {
      this.#waiting.delete(key);
      for (const waiter of queue) waiter.settle(result());
      return;
    }
    const [next] = queue;
    if (!next) {
      this.#waiting.delete(key);
      return;
    }
    queue.delete(next);
    next.settle({ state: 'MISS', flight: this.flight(key, keep) });
  }

  /** The right to resolve this key's flight, once. */
  flight(key: string, keep: (reply: CachedReply) => FlightResult): Flight {
    let resolved = false;
    const once = (work: () => FlightResult) => {
      if (resolved) return;
      resolved = true;
      let result: FlightResult;
      // Whatever goes wrong with the reply, those who wait must not wait forever.
      try {
        result = work();
      } finally {
        this.resolve(key, result, keep);
      }
    };
    return { keep: (reply) => once(() => keep(reply)), drop: () => once(() => undefined) };
  }
}
