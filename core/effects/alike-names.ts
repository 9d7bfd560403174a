/**
 * Names of one object that differ in case only: servers that read names without regard to case (Go, .NET) obey the last of them,
 * and a rule saw the one it names [effects.alike-names].
 */

/** Variables of programs: `http_proxy` and `HTTP_PROXY` are two, and both are usual. */
const maps: ReadonlySet<string> = new Set(['env', 'environment']);

/** Why the parameters are unclear; undefined where all names of each object differ in more than case. */
export function alikeNames(value: unknown, isMap = false): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value) && !isMap) {
    const seen = new Map<string, string>();
    for (const name of Object.keys(value)) {
      const folded = name.toUpperCase().toLowerCase();
      const other = seen.get(folded);
      if (other !== undefined) return `the parameters ${shown(other)} and ${shown(name)} differ in case only`;
      seen.set(folded, name);
    }
  }
  for (const [name, inner] of Object.entries(value)) {
    const found = alikeNames(inner, maps.has(name));
    if (found !== undefined) return found;
  }
  return undefined;
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 64));
