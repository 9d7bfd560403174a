/**
 * Time that advances only when all tasks are waiting for it, so that simulating minutes takes seconds and gives the
 * same result each time.
 */

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

export class VirtualTime {
  #now: number;
  #made = 0;
  readonly #heap: Timer[] = [];

  constructor(startMs: number) {
    this.#now = startMs;
  }

  now = (): number => Math.floor(this.#now);
  /** Returns the time, including fractions of a millisecond. */
  exactly = (): number => this.#now;
  pause = (ms: number): Promise<void> => new Promise((fire) => this.at(this.#now + ms, fire));

  at(ms: number, fire: () => void): void {
    this.#push({ at: Math.max(ms, this.#now), order: this.#made++, fire });
  }

  /**
   * Runs until no timers are left.
   * @param turns the number of event-loop turns per step, for services that need several to respond, such as a local
   * run's store.
   */
  async run(turns = 1): Promise<void> {
    for (let next = this.#pop(); next; next = this.#pop()) {
      this.#now = next.at;
      next.fire();
      // Lets all work finish that this timer started and that does not wait for time.
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let i = heap.push(timer) - 1;
    while (i > 0 && isBefore(heap[i]!, heap[(i - 1) >> 1]!)) i = swap(heap, i, (i - 1) >> 1);
  }

  #pop(): Timer | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return first;
    heap[0] = last;
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right;
      if (least === i) return first;
      i = swap(heap, i, least);
    }
  }
}

const isBefore = (one: Timer, other: Timer): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

function swap(heap: Timer[], i: number, j: number): number {
  [heap[i], heap[j]] = [heap[j]!, heap[i]!];
  return j;
}

/** Returns a generator of numbers from 0 to 1 that repeats for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
