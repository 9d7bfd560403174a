/**
 * Divides an amount fairly: a holder may have as much as is still free. One holder gets half, two get a third each,
 * three a quarter each, so some is always left for a new holder.
 */
export class FairShare {
  readonly #most: number;
  readonly #timesFree: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  /** @param timesFree multiple of the free amount that a holder may have: with 3, one holder gets three quarters. */
  constructor(most: number, timesFree = 1) {
    this.#most = most;
    this.#timesFree = timesFree;
  }

  /**
   * Takes the whole amount or none of it.
   * @returns true if the holder got the amount.
   */
  take(holder: string, amount = 1): boolean {
    const own = (this.#held.get(holder) ?? 0) + amount;
    const free = this.#most - this.#all;
    if (amount > free || own > free * this.#timesFree) return false;
    this.#held.set(holder, own);
    this.#all += amount;
    return true;
  }

  give(holder: string, amount = 1): void {
    const left = (this.#held.get(holder) ?? 0) - amount;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#all -= amount;
  }

  held(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}
