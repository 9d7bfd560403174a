/** Checks shared by many sections: unique names, known names, and exactly one of several fields. */

import type { Path, Problem } from '#core/contracts/problems.ts';
import { didYouMean } from '#core/kernel/did-you-mean.ts';

/**
 * Finds names used by several entries, ignoring case, because readers would take `Alice` and `alice` for the same
 * person.
 * @param what noun for an entry, capitalised because it begins a sentence.
 */
export const unique = <T>(items: readonly T[], path: Path, field: keyof T & string, what: string): Problem[] =>
  definedTwice(items, field, what).map(({ at, sentence }) => ({ path: [...path, at, field], sentence }));

/** Finds repeated names, together with the entry that used each name first. */
export function definedTwice<T>(items: readonly T[], field: keyof T & string, what: string) {
  const entries = new Map<string, number[]>();
  for (const [i, item] of items.entries()) {
    const name = item[field];
    if (typeof name !== 'string') continue;
    const folded = name.toLowerCase();
    entries.set(folded, [...(entries.get(folded) ?? []), i]);
  }
  return [...entries.values()].flatMap((at) => {
    if (at.length < 2) return [];
    const names = [...new Set(at.map((i) => JSON.stringify(items[i]![field])))];
    const times = at.length === 2 ? 'twice' : `${at.length} times`;
    const sentence = `${what} ${names.join(' or ')} is defined ${times} (entries ${at.slice(0, -1).join(', ')} and ${at.at(-1)})`;
    return [{ at: at[1]!, sentence }];
  });
}

/** Finds unknown names. */
export const unknownNames = (used: readonly string[], known: readonly string[], path: Path, what: string): Problem[] =>
  used.flatMap((name, i) =>
    known.includes(name)
      ? []
      : [{ path: [...path, i], found: JSON.stringify(name), allowed: oneOf(known, what, name) }],
  );

/**
 * Lists the allowed names.
 * @param found the unknown name, for which the most similar allowed name is suggested.
 */
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
