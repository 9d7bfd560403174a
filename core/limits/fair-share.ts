/**
 * Divides an amount among its holders, such that none takes what the others need: a holder may have as much as is still free.
 * One holder gets half, each of two a third, each of three a quarter; something is always left for one that has nothing yet.
 */
export class FairShare {
  readonly #most: number;
  readonly #timesFree: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  /** @param timesFree how many times what is still free a holder may have: with 3, one holder gets three quarters. */
  constructor(most: number, timesFree = 1) {
    this.#most = most;
    this.#timesFree = timesFree;
  }

  /** @returns whether the holder got the amount; without room it gets nothing of it. */
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
