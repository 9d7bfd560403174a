/**
 * A queue between the flow that makes values and the reader that takes them, in order and with back-pressure. The flow
 * stays in its own context (spans) and goes on to its end even when the reader has left.
 */
export class AsyncQueue<T> implements AsyncIterableIterator<T> {
  readonly #queue: T[] = [];
  #waiting: PromiseWithResolvers<IteratorResult<T>> | undefined;
  #drained: PromiseWithResolvers<void> | undefined;
  #state: 'open' | 'ended' | 'left' = 'open';
  #left: () => void = () => {};

  /** Values held before the writer has to wait. */
  static readonly capacity = 64;

  /** The reader has left before the end: values written from now on are dropped. */
  get gone(): boolean {
    return this.#state === 'left';
  }

  /** @returns a promise only when the reader is behind: wait for it before writing on. */
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

  /** No more values follow; those already written are still read. */
  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#finishReader();
  }

  /** Calls `work` when the reader leaves before the end. */
  onLeft(work: () => void): void {
    this.#left = work;
  }

  /** The reader leaves; a writer that waits goes on. */
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
