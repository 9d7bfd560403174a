/**
 * Ends transfers that make too little progress: each holds a connection and memory [edge.hostile]
 * [http.connections].
 */
import { OpenItems } from '#core/kernel/open-items.ts';

export interface Transfer {
  /** Bytes that the client has taken or sent so far; undefined while none are pending. */
  moved(): number | undefined;
  end(): void;
}

/** A period with pending bytes. */
interface Stretch {
  /** Bytes that had moved at its start. */
  readonly moved: number;
  readonly looks: number;
}

/**
 * Checks in the longest period. They are counted, not timed: a pause of this process, in which no bytes move, is not
 * counted against clients.
 */
const maxLooks = 6;

/** Bytes to move in the longest period. A client with a steady 300 bytes per second moves more. */
export const leastBytes = 16 * 1024;

interface Watched {
  readonly transfer: Transfer;
  stretch: Stretch | undefined;
  over: () => void;
}

export class StalledTransfers {
  readonly #open = new OpenItems<Watched>();
  readonly #looking: NodeJS.Timeout;

  /**
   * @param longestMs time in which a transfer has to move `leastBytes`, or end. One without pending bytes may stay open
   * indefinitely.
   */
  constructor(longestMs: number) {
    this.#looking = setInterval(() => this.#look(), longestMs / maxLooks).unref();
  }

  /** @returns a function to call when the transfer is over. */
  watch(transfer: Transfer): () => void {
    const watched: Watched = { transfer, stretch: undefined, over: () => {} };
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
