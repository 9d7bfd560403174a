/**
 * Ends transfers that make too little progress, because each occupies a connection and memory [edge.hostile]
 * [http.connections].
 */
import { OpenItems } from '#core/kernel/open-items.ts';

interface Transfer {
  /** Returns the bytes that the client has received or sent so far; undefined while none are pending. */
  moved(): number | undefined;
  end(): void;
}

/** A period during which bytes are pending. */
interface Stretch {
  /** Bytes that had been transferred at its start. */
  readonly moved: number;
  readonly looks: number;
}

/**
 * Number of checks in the longest period. Checks are counted rather than timed, so that a pause of this process, in
 * which no bytes move, does not count against clients.
 */
const maxLooks = 6;

/**
 * Minimum number of bytes to be transferred in the longest period. A client with a steady 300 bytes per second exceeds
 * it.
 */
export const leastBytes = 16 * 1024;

interface OpenTransfer {
  readonly transfer: Transfer;
  stretch: Stretch | undefined;
  over: () => void;
}

export class StalledTransfers {
  readonly #open = new OpenItems<OpenTransfer>();
  readonly #looking: NodeJS.Timeout;

  /**
   * @param longestMs the time within which a transfer must move `leastBytes`; otherwise it is ended. A transfer without
   * pending bytes may stay open indefinitely.
   */
  constructor(longestMs: number) {
    this.#looking = setInterval(() => this.#look(), longestMs / maxLooks).unref();
  }

  /** @returns a function to call when the transfer is over. */
  watch(transfer: Transfer): () => void {
    const watched: OpenTransfer = { transfer, stretch: undefined, over: () => {} };
    watched.over = this.#open.add(watched);
    return watched.over;
  }

  stop(): void {
    clearInterval(this.#looking);
  }

  #look(): void {
    for (const watched of this.#open.all()) {
      const { transfer, stretch } = watched;
      const moved = transfer.moved();
      if (moved === undefined) watched.stretch = undefined;
      else if (stretch === undefined || moved - stretch.moved >= leastBytes) watched.stretch = { moved, looks: 0 };
      else if (stretch.looks + 1 < maxLooks) watched.stretch = { moved: stretch.moved, looks: stretch.looks + 1 };
      else {
        watched.over();
        transfer.end();
      }
    }
  }
}
