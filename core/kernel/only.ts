/** An object without the members that are not named: what answers show of a stored row is listed, never what they leave out. */

/** A member that is absent stays absent. */
export function only<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  const members = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(members) as Pick<T, K>;
}
