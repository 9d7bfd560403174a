/** Messages on their way to a client: whoever answers puts them in, whoever writes the reply takes them out. */
import type { JsonObject } from '#core/kernel/json.ts';

export class Outbox implements AsyncIterableIterator<JsonObject> {
  /** To be written as events, even if there is but one message. */
  streams = false;
  readonly #held: JsonObject[] = [];
  #taker: PromiseWithResolvers<IteratorResult<JsonObject>> | undefined;
  #state: 'open' | 'ended' | 'left' = 'open';
  #left: () => void = () => {};

  put(message: JsonObject): void {
    if (this.#state !== 'open') return;
    const taker = this.#taker;
    this.#taker = undefined;
    if (taker) taker.resolve({ done: false, value: message });
    else this.#held.push(message);
  }

  /** Nothing more comes; what was put in is still read. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    this.#taker?.resolve({ done: true, value: undefined });
    this.#taker = undefined;
  }

  /** Calls `work` when the reader goes before the end. */
  onLeft(work: () => void): void {
    this.#left = work;
  }

  next(): Promise<IteratorResult<JsonObject>> {
    const message = this.#held.shift();
    if (message) return Promise.resolve({ done: false, value: message });
    if (this.#state !== 'open') return Promise.resolve({ done: true, value: undefined });
    this.#taker = Promise.withResolvers();
    return this.#taker.promise;
  }

  return(): Promise<IteratorResult<JsonObject>> {
    if (this.#state === 'open') this.#left();
    this.#state = 'left';
    this.#held.length = 0;
    this.#taker?.resolve({ done: true, value: undefined });
    this.#taker = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
