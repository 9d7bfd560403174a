/**
 * Client request tokens of executed transactions: a repeated one is not executed again. The latest ones are remembered
 * for ten minutes, in this process, the only one that repeats them.
 */

import { hash } from 'node:crypto';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { tokenReused } from '../faults.ts';

const keptMs = 10 * 60_000;
const maxKept = 4_096;

interface Done {
  readonly digest: string;
  readonly at: number;
}

export class Tokens {
  #done = new RecentMap<string, Done>({ max: maxKept });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Checks whether exactly this transaction was executed. @throws IdempotentParameterMismatchException for another one
   */
  done(token: string, items: readonly object[]): boolean {
    const found = this.#done.get(token);
    if (!found || this.#now() - found.at >= keptMs) return false;
    if (found.digest !== digestOf(items)) throw tokenReused();
    return true;
  }

  keep(token: string, items: readonly object[]): void {
    this.#done.set(token, { digest: digestOf(items), at: this.#now() });
  }

  /** Forgets all tokens, after transactions were rolled back. */
  forget(): void {
    this.#done = new RecentMap({ max: maxKept });
  }
}

const digestOf = (items: readonly object[]): string => hash('sha256', JSON.stringify(items), 'base64');
