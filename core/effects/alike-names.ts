/**
 * Names of one object that differ in case only: servers that read names without regard to case (Go, .NET) obey the last of them,
 * and a rule saw the one it names [effects.alike-names].
 */

/** Why the parameters are unclear; undefined where all names of each object differ in more than case. */
export function alikeNames(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    const seen = new Map<string, string>();
    for (const name of Object.keys(value)) {
      const folded = name.toUpperCase().toLowerCase();
      const other = seen.get(folded);
      if (other !== undefined) return `the parameters ${shown(other)} and ${shown(name)} differ in case only`;
      seen.set(folded, name);
    }
  }
  for (const inner of Object.values(value)) {
    const found = alikeNames(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 64));
