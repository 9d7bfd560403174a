/** Converts REST member names to GraphQL names and back. */

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Renames the members of an input object to those of the REST body. */
export const snakeMembers = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [snakeCase(name), value]));

/** Converts a record of counts to a list, largest first. */
export const countsOf = (record: unknown): { name: string; count: number }[] =>
  Object.entries((record ?? {}) as Record<string, number>)
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count);
