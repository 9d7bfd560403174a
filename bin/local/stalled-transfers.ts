/** Ends transfers that make too little progress: each holds a connection and memory [edge.slow-readers] [http.slow-bodies]. */

export interface Transfer {
  /** Bytes that the client has taken or sent so far; undefined while none are due. */
  moved(): number | undefined;
  end(): void;
}

/** While bytes are due. */
interface Stretch {
  /** Bytes that had moved when the stretch began. */
  readonly moved: number;
  readonly looks: number;
}

/** In the longest stretch. They are counted, not timed: a pause of this process, which moves nothing then, is not counted against clients. */
const maxLooks = 6;

/** To be moved within the longest stretch. A client that reads or sends steadily at 300 bytes per second moves more. */
export const leastBytes = 16 * 1024;

export class StalledTransfers {
  readonly #open = new Map<Transfer, Stretch | undefined>();
  readonly #looking: NodeJS.Timeout;

  /**
   * @param longestMs within which a transfer has to move `leastBytes`, or come to its end. One without bytes that are due may stay open
   * as long as it likes.
   */
  constructor(longestMs: number) {
    this.#looking = setInterval(() => this.#look(), longestMs / maxLooks).unref();
  }

  /** @returns to be called when the transfer is over. */
  watch(transfer: Transfer): () => void {
    this.#open.set(transfer, undefined);
    return () => void this.#open.delete(transfer);
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    for (const [transfer, stretch] of this.#open) {
      const moved = transfer.moved();
      if (moved === undefined) this.#open.set(transfer, undefined);
      else if (stretch === undefined || moved - stretch.moved >= leastBytes)
        this.#open.set(transfer, { moved, looks: 0 });
      else if (stretch.looks + 1 < maxLooks)
        this.#open.set(transfer, { moved: stretch.moved, looks: stretch.looks + 1 });
      else {
        this.#open.delete(transfer);
        transfer.end();
      }
    }
  }
}
