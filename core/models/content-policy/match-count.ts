/** Counts matches without overlaps, as a search over the whole text would. */
import type { PatternMatch } from './partial-match.ts';

export class MatchCount {
  readonly #ends: number[];
  readonly #totals: number[];

  constructor(ends: readonly number[] = [], totals: readonly number[] = []) {
    this.#ends = [...ends];
    this.#totals = [...totals];
  }

  /** Checks whether this match begins after the last one counted under `key`, and if so, counts it. */
  takes(key: number, { begin, end }: PatternMatch): boolean {
    if (begin < (this.#ends[key] ?? 0)) return false;
    this.#ends[key] = end;
    this.#totals[key] = this.of(key) + 1;
    return true;
  }

  of(key: number): number {
    return this.#totals[key] ?? 0;
  }

  copy(): MatchCount {
    return new MatchCount(this.#ends, this.#totals);
  }
}
