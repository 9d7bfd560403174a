/**
 * Room for everything else: the store answers without waiting for anything, so a caller that asks again and again would
 * never let the event loop turn. After some milliseconds of one turn the next operations wait for the turn after it.
 */
import { setImmediate } from 'node:timers';

const maxMs = 5;

export class EventLoopYield {
  #startedAt: number | undefined;
  #next: Promise<void> | undefined;

  /** Undefined when the turn has time left. */
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
