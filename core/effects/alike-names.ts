/**
 * Detects names in one object that differ only in case. Servers that ignore case (Go, .NET) use the last of them, while
 * a rule checked the name it lists [effects.alike-names].
 */

/** Objects of environment variables: `http_proxy` and `HTTP_PROXY` are distinct, and both are common. */
const maps: ReadonlySet<string> = new Set(['env', 'environment']);

/** Returns why the parameters are unclear, or undefined if no names of an object differ only in case. */
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
