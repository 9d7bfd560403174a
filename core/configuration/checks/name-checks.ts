/** Checks that many sections share: names used once, names that are known, one of several fields. */
import { didYouMean } from './did-you-mean.ts';
import type { Path, Problem } from './problems.ts';

/** Names are compared without case: `Alice` beside `alice` is a mistake, and two people would be one to a reader. */
export function unique<T>(items: readonly T[], path: Path, field: keyof T & string, what: string): Problem[] {
  const seen = new Map<string, number>();
  return items.flatMap((item, i) => {
    const name = item[field];
    if (typeof name !== 'string') return [];
    const first = seen.get(name.toLowerCase());
    if (first === undefined) {
      seen.set(name.toLowerCase(), i);
      return [];
    }
    const allowed = `${what} used once (entry ${first} has it)`;
    return [{ path: [...path, i, field], found: `${JSON.stringify(name)} again`, allowed }];
  });
}

/** Each name that is not known. */
export const unknown = (used: readonly string[], known: readonly string[], path: Path, what: string): Problem[] =>
  used.flatMap((name, i) =>
    known.includes(name)
      ? []
      : [{ path: [...path, i], found: JSON.stringify(name), allowed: oneOf(known, what, name) }],
  );

/** @param found the name that is not known, for the hint at the one that was probably meant. */
export const oneOf = (names: readonly string[], what: string, found: string): string =>
  names.length === 0
    ? `none: no ${what} are configured`
    : `one of the ${what} ${names.join(', ')}${didYouMean(found, names)}`;

export function exactlyOne(fields: Record<string, unknown>, path: Path): Problem[] {
  const given = Object.keys(fields).filter((name) => fields[name] !== undefined);
  if (given.length === 1) return [];
  const allowed = `exactly one of ${Object.keys(fields).join(', ')}`;
  return [{ path, found: given.length === 0 ? 'none' : given.join(' and '), allowed }];
}
