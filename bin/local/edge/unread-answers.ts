/** Ends answers that their client does not read: each holds a connection, and what waits to be sent [edge.slow-readers]. */
import { Http2ServerResponse } from 'node:http2';
import type { EdgeResponse } from './forward.ts';

interface Waiting {
  /** Bytes that wait to be sent; they change whenever the client takes some or the upstream sends more. */
  bytes: number;
  sinceMs: number;
}

export class UnreadAnswers {
  readonly #open = new Map<EdgeResponse, Waiting>();
  readonly #longestMs: number;

  /** @param longestMs for which the same bytes may wait. An answer without any may stay open as long as it likes. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  watch(response: EdgeResponse): void {
    this.#open.set(response, { bytes: 0, sinceMs: 0 });
    response.once('close', () => this.#open.delete(response));
  }

  /** To be called now and then. @param nowMs of a clock that only goes forward */
  look(nowMs: number): void {
    for (const [response, waiting] of this.#open) {
      const bytes = response.writableLength;
      if (bytes === 0 || bytes !== waiting.bytes) Object.assign(waiting, { bytes, sinceMs: nowMs });
      else if (nowMs - waiting.sinceMs >= this.#longestMs) end(response);
    }
  }
}

function end(response: EdgeResponse): void {
  if (response instanceof Http2ServerResponse) response.stream.close(enhanceYourCalm);
  else response.socket?.destroy();
}

/** ENHANCE_YOUR_CALM of RFC 9113. */
const enhanceYourCalm = 0xb;
