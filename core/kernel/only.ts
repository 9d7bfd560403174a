/**
 * Copies listed members. Each response lists the row members that it shows, or its schema does, so that new members stay
 * hidden.
 */

/** Returns the listed members. Absent members stay absent. */
export function pickMembers<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const members = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(members) as Pick<T, K>;
}
