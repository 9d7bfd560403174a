/**
 * Divides an amount among the keys that use it, such that no key takes what the others need: a key may hold as much as is still free.
 * One key gets half, each of two a third, each of three a quarter; something is always left for a key that holds nothing yet.
 */
export class FairShare {
  readonly #most: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns whether the holder got the amount; without room it gets nothing of it. */
  take(holder: string, amount = 1): boolean {
    const own = (this.#held.get(holder) ?? 0) + amount;
    if (own > this.#most - this.#all) return false;
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
