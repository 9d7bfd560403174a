/**
 * Ordered queue with back-pressure between a writer and a reader. The writer keeps its own span context and runs to
 * completion even if the reader leaves.
 */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  readonly #queue: T[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<T>> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  #state: 'open' | 'ended' | 'left' = 'open';
  #left: () => void = () => {};

  /** Number of queued values at which the writer has to wait. */
  static readonly capacity = 64;

  /** True if the reader left before the end. Values written after that are dropped. */
  get gone(): boolean {
    return this.#state === 'left';
  }

  /** @returns a promise only if the queue is full. It must be awaited before the next write. */
  write(value: T): Promise<void> | undefined {
    if (this.#state !== 'open') return undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) {
      waiting.resolve({ done: false, value });
      return undefined;
    }
    this.#queue.push(value);
    if (this.#queue.length < AsyncQueue.capacity) return undefined;
    this.#drained ??= Promise.withResolvers<void>();
    return this.#drained.promise;
  }

  /** Ends the queue. The reader still receives the values already written. */
  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#finishReader();
  }

  /** Calls `work` if the reader leaves before the end. */
  onLeft(work: () => void): void {
    this.#left = work;
  }

  /** Drops all values because the reader is leaving, and releases a waiting writer. */
  leave(): void {
    if (this.#state === 'open') this.#left();
    this.#state = 'left';
    this.#queue.length = 0;
    this.#release();
    this.#finishReader();
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#queue.length > 0) {
      const value = this.#queue.shift() as T;
      if (this.#queue.length < AsyncQueue.capacity / 2) this.#release();
      return Promise.resolve({ done: false, value });
    }
    if (this.#state !== 'open') return Promise.resolve({ done: true, value: undefined });
    this.#waiting ??= Promise.withResolvers<IteratorResult<T>>();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<T>> {
    this.leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finishReader(): void {
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  #release(): void {
    this.#drained?.resolve();
    this.#drained = undefined;
  }
}
