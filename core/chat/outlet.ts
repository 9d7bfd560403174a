/**
 * Hands values from the flow that makes them to the host that writes them, one at a time, with back-pressure. The flow
 * stays in its own context (spans) and goes on to its end even when the reader has gone.
 */
export class Outlet<T> implements AsyncIterable<T> {
  readonly #queue: T[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<T>> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  #ended = false;
  #gone = false;

  /** Values held before the writer has to wait. */
  static readonly room = 64;

  /** The reader left: what is written from now on goes nowhere. */
  get gone(): boolean {
    return this.#gone;
  }

  /** A promise only when the reader is behind: wait for it before writing on. */
  write(value: T): Promise<void> | undefined {
    if (this.#gone || this.#ended) return undefined;
    if (this.#waiting) {
      this.#waiting.resolve({ done: false, value });
      this.#waiting = undefined;
      return undefined;
    }
    this.#queue.push(value);
    if (this.#queue.length < Outlet.room) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  end(): void {
    this.#ended = true;
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  /** The reader leaves; a writer that waits goes on. */
  leave(): void {
    this.#gone = true;
    this.#queue.length = 0;
    this.#release();
    this.end();
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => this.#next(),
      return: async () => {
        this.leave();
        return { done: true, value: undefined };
      },
    };
  }

  #next(): Promise<IteratorResult<T>> {
    const value = this.#queue.shift();
    if (value !== undefined) {
      if (this.#queue.length < Outlet.room / 2) this.#release();
      return Promise.resolve({ done: false, value });
    }
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    this.#waiting ??= Promise.withResolvers<IteratorResult<T>>();
    return this.#waiting.promise;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
