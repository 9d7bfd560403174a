/** Names of REST members as GraphQL has them, and back. */

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Members of an input object in the names of the REST body. */
export const snakeMembers = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [snakeCase(name), value]));

/** A record of counts as a list, the largest first. */
export const countsOf = (record: unknown): { name: string; count: number }[] =>
  Object.entries((record ?? {}) as Record<string, number>)
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count);
