/** Single flight: of many who ask the same at once, one goes and the others wait for what it brings (spec §1). */
import type { CachedReply, Flight, Lookup } from './ports.ts';

interface Waiter {
  settle(lookup: Lookup): void;
}

/** How a flight ends for those who wait: with a lookup each, or with nothing for anybody. */
export type Landing = (() => Lookup) | undefined;

/** One queue a key. Handing over is synchronous, so that between two flights no third can slip in and no waiter is lost. */
export class Flights {
  readonly #waiting = new Map<string, Set<Waiter>>();

  inTheAir(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Claims the key; every call of it until `land` waits. */
  takeOff(key: string): void {
    this.#waiting.set(key, new Set());
  }

  /**
   * Waits for the flight at hand.
   * @throws the signal's reason when it aborts first; whoever waited leaves the queue.
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
   * Ends the flight. With a landing everybody who waits gets it; without one the first of them flies next and the others
   * go on waiting for it.
   * @param keep what `Flight.keep` of a next flight does.
   */
  land(key: string, landing: Landing, keep: (reply: CachedReply) => Landing): void {
    const queue = this.#waiting.get(key);
    if (!queue) return;
    if (landing) {
      this.#waiting.delete(key);
      for (const waiter of queue) waiter.settle(landing());
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

  /** The right to land this key's flight, once. */
  flight(key: string, keep: (reply: CachedReply) => Landing): Flight {
    let landed = false;
    const once = (work: () => Landing) => {
      if (landed) return;
      landed = true;
      let landing: Landing;
      // Whatever goes wrong with the reply, those who wait must not wait for ever.
      try {
        landing = work();
      } finally {
        this.land(key, landing, keep);
      }
    };
    return { keep: (reply) => once(() => keep(reply)), drop: () => once(() => undefined) };
  }
}
