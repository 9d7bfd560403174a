/** Random choices from a seed, so that a run can be repeated. */
import { mulberry32 } from '../../support/mulberry32.ts';

export interface Random {
  /** Returns an integer from 0 up to but not including `below`. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
}

export function randomFrom(seed: number): Random {
  const next = mulberry32(seed);
  const int = (below: number): number => Math.floor(next() * below);
  return { int, pick: (items) => items[int(items.length)]!, chance: (probability) => next() < probability };
}
