/** Encodes events as server-sent events, with comments as pings while the model is silent. */

import type { SseWire } from '#core/chat/chat-view.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { ssePing } from '#core/models/dialects/sse.ts';

/** Interval shorter than the usual idle limits: 30 s for an edge-optimised API, 60 s for most proxies. */
const pingEveryMs = 15_000;

export function sse(events: AsyncIterable<JsonObject>, wire: SseWire, timeouts: Timeouts): AsyncIterable<string> {
  return { [Symbol.asyncIterator]: () => new Frames(events[Symbol.asyncIterator](), wire, timeouts) };
}

class Frames implements AsyncIterator<string> {
  readonly #events: AsyncIterator<JsonObject>;
  readonly #wire: SseWire;
  readonly #timeouts: Timeouts;
  /** Pending read of the next event, kept while a ping is sent. */
  #asked: Promise<IteratorResult<JsonObject>> | undefined;
  #state: 'running' | 'failed' | 'over' = 'running';

  constructor(events: AsyncIterator<JsonObject>, wire: SseWire, timeouts: Timeouts) {
    this.#events = events;
    this.#wire = wire;
    this.#timeouts = timeouts;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#state === 'over') return { done: true, value: undefined };
    this.#asked ??= this.#events.next();
    const found = await this.#orPing(this.#asked);
    if (found === undefined) return { done: false, value: ssePing };
    this.#asked = undefined;
    if (found.done) return this.#last();
    if (isError(found.value)) this.#state = 'failed';
    return { done: false, value: this.#wire.encode(found.value) };
  }

  async return(): Promise<IteratorResult<string>> {
    this.#state = 'over';
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  /** Returns the terminator. A failed stream has no terminator. */
  #last(): IteratorResult<string> {
    const well = this.#state === 'running' && this.#wire.terminator !== '';
    this.#state = 'over';
    return well ? { done: false, value: this.#wire.terminator } : { done: true, value: undefined };
  }

  #orPing<T>(asked: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const cancel = this.#timeouts.after(pingEveryMs, () => resolve(undefined));
      asked.then(resolve, reject).finally(cancel);
    });
  }
}

const isError = (event: JsonObject): boolean => event.error !== undefined || event.type === 'error';
