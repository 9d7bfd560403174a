/** Single flight: of concurrent callers with the same question, one gets the answer and the others wait for it. */
import type { CachedReply, Flight, Lookup } from './ports.ts';

interface Waiter {
  settle(lookup: Lookup): void;
}

/** Result of a flight for waiting callers: a lookup each, or undefined if it brought no answer. */
export type FlightResult = (() => Lookup) | undefined;

/** Queue per key. Handover is synchronous, so that no third flight can start in between and no waiter is lost. */
export class SingleFlight {
  readonly #waiting = new Map<string, Set<Waiter>>();

  inFlight(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Claims the key; later calls wait until `resolve`. */
  start(key: string): void {
    this.#waiting.set(key, new Set());
  }

  /**
   * Waits for the current flight.
   * @throws the signal's reason if it aborts first; the waiter leaves the queue.
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
   * Ends the flight. With a result, all waiters receive it; without one, the first of them starts next and the others
   * continue to wait.
   * @param keep implements `Flight.keep` of the next flight.
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

  /** Returns the right to resolve the flight of this key, once. */
  flight(key: string, keep: (reply: CachedReply) => FlightResult): Flight {
    let resolved = false;
    const once = (work: () => FlightResult) => {
      if (resolved) return;
      resolved = true;
      let result: FlightResult;
      // Waiters must not wait forever, even if processing the reply fails.
      try {
        result = work();
      } finally {
        this.resolve(key, result, keep);
      }
    };
    return { keep: (reply) => once(() => keep(reply)), drop: () => once(() => undefined) };
  }
}
