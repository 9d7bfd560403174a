/** Numbers that look random and are the same on every run (mulberry32). */
export interface Random {
  /** A whole number from `least` to `most`. */
  number(least: number, most: number): number;
  one<T>(items: readonly T[]): T;
  /** `#` becomes a digit, `¹` one from 2 to 9, `²` a capital or digit, `³` a lower-case letter or digit, `⁴` a hex digit. */
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
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const number = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const one = <T>(items: readonly T[]): T => items[number(0, items.length - 1)]!;
  return { number, one, fill: (form) => form.replace(/[#¹²³⁴]/g, (sign) => one([...sets[sign]!])) };
}
