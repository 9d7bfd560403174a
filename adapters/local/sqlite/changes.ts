/** Applies a change to a row. The given row is not modified. */
import type { Change, Path, Row } from '../../tables/store.ts';
import { isMap, valueAt } from './conditions.ts';

type Members = Record<string, unknown>;

/** @throws TypeError for a member of a map that does not exist, or for adding an amount to a value of another type */
export function applyChange(
  before: Row,
  { set = {}, setIn = [], setIfAbsent = {}, remove = [], add = {} }: Change,
): Row {
  const row: Members = { ...before };
  for (const path of remove) removeAt(row, before, path);
  for (const [name, value] of Object.entries(set)) if (value !== undefined) row[name] = value;
  for (const [name, value] of Object.entries(setIfAbsent))
    if (value !== undefined && valueAt(before, name) === undefined) row[name] = value;
  for (const [path, value] of setIn) {
    const map = ownMap(row, path.slice(0, -1));
    if (!map) throw new TypeError(`The row has no map ${path.slice(0, -1).join('.')}.`);
    setMember(map, path.at(-1)!, value);
  }
  for (const [name, amount] of Object.entries(add)) row[name] = sum(name, valueAt(before, name), amount);
  return row;
}

function removeAt(row: Members, before: Row, path: Path): void {
  if (typeof path === 'string') delete row[path];
  // A member cannot be removed from a map that does not exist.
  else if (isMap(valueAt(before, path.slice(0, -1)))) delete ownMap(row, path.slice(0, -1))![path.at(-1)!];
  else throw new TypeError(`The row has no map ${path.slice(0, -1).join('.')}.`);
}

/** Copies the maps on the path to a map, so that the previous row keeps its own copies. */
function ownMap(row: Members, path: readonly string[]): Members | undefined {
  let map = row;
  for (const name of path) {
    const inner = Object.hasOwn(map, name) ? map[name] : undefined;
    if (!isMap(inner)) return undefined;
    const copy = { ...inner };
    setMember(map, name, copy);
    map = copy;
  }
  return map;
}

/** Sets a member, even one named `__proto__`, because names are chosen by callers. */
function setMember(into: Members, name: string, value: unknown): void {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
}

function sum(name: string, before: unknown, amount: number | ReadonlySet<string>): unknown {
  if (typeof amount === 'number' && (before === undefined || typeof before === 'number')) return (before ?? 0) + amount;
  if (typeof amount !== 'number' && (before === undefined || before instanceof Set))
    return new Set([...(before ?? []), ...amount]);
  throw new TypeError(`The attribute ${name} has a different type than the amount that is added to it.`);
}
