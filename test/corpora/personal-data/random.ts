/** Numbers that look random and are the same on every run. */
import { mulberry32 } from '../../support/mulberry32.ts';

export interface Random {
  /** Returns an integer from `least` to `most`. */
  number(least: number, most: number): number;
  one<T>(items: readonly T[]): T;
  /**
   * Fills a pattern: `#` becomes a digit, `¹` a digit from 2 to 9, `²` a capital or digit, `³` a lower-case letter or
   * digit, `⁴` a hex digit.
   */
  fill(form: string): string;
}

const sets: Readonly<Record<string, string>> = {
  '#': '0123456789',
  '¹': '23456789',
  '²': 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  '³': 'abcdefghijklmnopqrstuvwxyz0123456789',
  '⁴': '0123456789abcdef',
};

export function seeded(seed: number): Random {
  const next = mulberry32(seed);
  const number = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const one = <T>(items: readonly T[]): T => items[number(0, items.length - 1)]!;
  return { number, one, fill: (form) => form.replace(/[#¹²³⁴]/g, (sign) => one([...sets[sign]!])) };
}
