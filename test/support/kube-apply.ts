/** Merge patch, and server-side apply: lists of named entries are merged by name, and a manager's fields go when it leaves them out. */

type Tree = Readonly<Record<string, unknown>>;
/** What each manager applied last. */
export type Managed = Map<string, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNamed = (value: unknown): value is readonly (Tree & { name: string })[] =>
  Array.isArray(value) && value.every((entry) => isTree(entry) && typeof entry.name === 'string');

/** RFC 7396. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isTree(patch)) return patch;
  const result: Record<string, unknown> = { ...(isTree(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

export function applied(found: unknown, managed: Managed, manager: string, wanted: Tree): unknown {
  const before = managed.get(manager);
  managed.set(manager, wanted);
  return overlay(before === undefined ? found : without(found, before, wanted), wanted);
}

function overlay(found: unknown, wanted: unknown): unknown {
  if (isNamed(wanted) && isNamed(found)) {
    const names = new Set(wanted.map(({ name }) => name));
    const kept = found.map((entry) => overlay(entry, wanted.find(({ name }) => name === entry.name) ?? {}));
    const known = new Set(found.map(({ name }) => name));
    return [...kept, ...wanted.filter(({ name }) => names.has(name) && !known.has(name))];
  }
  if (!isTree(wanted) || !isTree(found)) return wanted;
  return {
    ...found,
    ...Object.fromEntries(Object.entries(wanted).map(([name, value]) => [name, overlay(found[name], value)])),
  };
}

/** Without what the manager applied before and does not want any more. An entry with fields of others stays. */
function without(found: unknown, before: unknown, wanted: unknown): unknown {
  if (isNamed(before) && isNamed(found)) {
    const of = (list: unknown, name: string) => (isNamed(list) ? list.find((entry) => entry.name === name) : undefined);
    return found.flatMap((entry) => {
      const owned = of(before, entry.name);
      if (!owned) return [entry];
      const rest = without(entry, owned, of(wanted, entry.name) ?? { name: entry.name }) as Tree;
      return of(wanted, entry.name) || Object.keys(rest).length > 1 ? [rest] : [];
    });
  }
  if (!isTree(before) || !isTree(found)) return found;
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => {
      if (!(name in before)) return [[name, value]];
      const next = isTree(wanted) ? wanted[name] : undefined;
      if (next === undefined && !isTree(before[name]) && !isNamed(before[name])) return [];
      const rest = without(value, before[name], next);
      return next === undefined && isTree(rest) && Object.keys(rest).length === 0 ? [] : [[name, rest]];
    }),
  );
}
