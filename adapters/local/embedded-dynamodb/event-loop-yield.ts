/**
 * Lets other work run: the store answers without waiting, so a caller in a loop would never let the event loop turn.
 * After some milliseconds of one turn, further operations wait for the next.
 */
import { setImmediate } from 'node:timers';

const maxMs = 5;

export class EventLoopYield {
  #startedAt: number | undefined;
  #next: Promise<void> | undefined;

  /** Returns undefined if the turn has time left. */
  wait(): Promise<void> | undefined {
    if (this.#startedAt === undefined) {
      this.#startedAt = performance.now();
      setImmediate(() => {
        this.#startedAt = undefined;
      });
      return undefined;
    }
    if (performance.now() - this.#startedAt < maxMs) return undefined;
    this.#next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        resolve();
      });
    });
    return this.#next;
  }
}
