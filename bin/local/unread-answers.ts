/** Ends answers that their client reads too slowly: each holds a connection, and what waits to be sent [edge.slow-readers]. */
import type { ServerResponse } from 'node:http';
import { Http2ServerResponse } from 'node:http2';

/** Counts what it was given to send, because streams of HTTP/2 do not. */
export class CountedHttp2Response extends Http2ServerResponse {
  given = 0;

  override write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    this.given += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    return (super.write as (...args: unknown[]) => boolean)(chunk, ...rest);
  }
}

export type WatchedResponse = ServerResponse | CountedHttp2Response;

/** While bytes wait. */
interface Stretch {
  /** Bytes that the client had taken when the stretch began. */
  readonly taken: number;
  readonly looks: number;
}

/** In the longest stretch. They are counted, not timed: a pause of this process, which sends nothing then, is not counted against clients. */
const maxLooks = 6;

/** To be taken within the longest stretch. A client that reads steadily at 300 bytes a second takes more. */
const leastBytes = 16 * 1024;

export class UnreadAnswers {
  readonly #open = new Map<WatchedResponse, Stretch | undefined>();
  readonly #ended: () => void;
  readonly #looking: NodeJS.Timeout;

  /**
   * @param longestMs within which an answer whose bytes wait has to be read, by `leastBytes` or to its end. An answer without waiting
   * bytes may stay open as long as it likes.
   * @param ended is called for each answer that is ended.
   */
  constructor(longestMs: number, ended: () => void = () => {}) {
    this.#ended = ended;
    this.#looking = setInterval(() => this.#look(), longestMs / maxLooks).unref();
  }

  watch(response: WatchedResponse): void {
    this.#open.set(response, undefined);
    response.once('close', () => this.#open.delete(response));
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    for (const [response, stretch] of this.#open) {
      const taken = response.writableLength > 0 ? takenOf(response) : undefined;
      if (taken === undefined) this.#open.set(response, undefined);
      else if (stretch === undefined || taken - stretch.taken >= leastBytes)
        this.#open.set(response, { taken, looks: 0 });
      else if (stretch.looks + 1 < maxLooks)
        this.#open.set(response, { taken: stretch.taken, looks: stretch.looks + 1 });
      else {
        this.#open.delete(response);
        this.#ended();
        end(response);
      }
    }
  }
}

/**
 * Bytes that left for the client: of the connection over HTTP/1.1, of the stream over HTTP/2. An answer that waits for the one before it on
 * its connection has none to send yet.
 */
function takenOf(response: WatchedResponse): number | undefined {
  if (response instanceof CountedHttp2Response) return response.given - response.writableLength;
  const { socket } = response;
  return socket ? socket.bytesWritten - socket.writableLength : undefined;
}

function end(response: WatchedResponse): void {
  if (response instanceof CountedHttp2Response) response.stream.close(enhanceYourCalm);
  else response.socket?.destroy();
}

/** ENHANCE_YOUR_CALM of RFC 9113. */
const enhanceYourCalm = 0xb;
