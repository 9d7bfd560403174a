/** Applies an update to an item. Every operand is read from the original item. */
import { invalid } from '../faults.ts';
import { addNumbers, negated } from '../numbers.ts';
import { type Attribute, attributeOf, type Item, memberKey, setAttribute } from '../values.ts';
import {
  type Bound,
  conflicting,
  distinct,
  memberOf,
  overlapping,
  type ResolvedPath,
  resolve,
  shown,
  valueAt,
} from './paths.ts';
import type { Assigned, Update } from './tree.ts';

type SetType = 'SS' | 'NS' | 'BS';

/**
 * Resolves the paths that an update changes. @throws ValidationException for conflicting paths, and for a key among
 * them
 */
export function changedPaths(update: Update, bound: Bound, keys: readonly string[]): readonly ResolvedPath[] {
  const { set, remove, add, delete: deleted } = update;
  const paths = [...set.map(({ path }) => path), ...remove, ...[...add, ...deleted].map(({ path }) => path)];
  const resolved = paths.map((path) => resolve(path, bound));
  if (!distinct(resolved)) assertApart(resolved);
  const key = resolved.find(([first]) => keys.includes(first as string));
  if (key)
    throw invalid(
      `One or more parameter values were invalid: Cannot update attribute ${key[0]}. This attribute is part of the key`,
    );
  return resolved;
}

/** @throws ValidationException for two conflicting paths */
function assertApart(resolved: readonly ResolvedPath[]): void {
  const clash = overlapping(resolved);
  if (clash)
    throw invalid(
      `Invalid UpdateExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${shown(clash[0])}, path two: ${shown(clash[1])}`,
    );
  const conflict = conflicting(resolved);
  if (conflict)
    throw invalid(
      `Invalid UpdateExpression: Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ${shown(conflict[0])}, path two: ${shown(conflict[1])}`,
    );
}

/**
 * Changes `item`, which has no other reference.
 * @param before the original item, unchanged
 * @throws ValidationException for operands that are missing or of the wrong type
 */
export function applyUpdate(item: Item, before: Item, update: Update, bound: Bound): void {
  const assigned = update.set.map(
    ({ path, value }) => [resolve(path, bound), assignedValue(value, before, bound)] as const,
  );
  const added = update.add.map(({ path, placeholder }) => {
    const sum = addedTo(valueAt(before, path, bound), bound.values[placeholder]!);
    return [resolve(path, bound), sum] as const;
  });
  const left = update.delete.map(({ path, placeholder }) => {
    const rest = deletedFrom(valueAt(before, path, bound), bound.values[placeholder]!);
    return [resolve(path, bound), rest] as const;
  });
  const removed = [...update.remove.map((path) => resolve(path, bound))];
  // Elements beyond the end of a list are appended in the order of their indexes.
  const changed = [...assigned, ...added].sort(([a], [b]) => indexOf(a) - indexOf(b));
  for (const [path, value] of changed) put(item, path, value);
  for (const [path, rest] of left)
    if (rest === undefined) removed.push(path);
    else if (rest !== 'as it is') put(item, path, rest);
  // Elements of a list are removed from its end, so that the others keep their places.
  removed.sort((a, b) => indexOf(b) - indexOf(a));
  for (const path of removed) remove(item, path);
}

/** Returns the index of an element. Members of maps are in any order. */
function indexOf(path: ResolvedPath): number {
  const last = path.at(-1);
  return typeof last === 'number' ? last : -1;
}

function assignedValue(assigned: Assigned, before: Item, bound: Bound): Attribute {
  switch (assigned.kind) {
    case 'value':
      return bound.values[assigned.placeholder]!;
    case 'path':
      return (
        valueAt(before, assigned.path, bound) ??
        fail('The provided expression refers to an attribute that does not exist in the item')
      );
    case 'if_not_exists':
      return valueAt(before, assigned.path, bound) ?? assignedValue(assigned.otherwise, before, bound);
    case 'list_append': {
      const [first, second] = [
        assignedValue(assigned.first, before, bound),
        assignedValue(assigned.second, before, bound),
      ];
      return first.L && second.L ? { L: [...first.L, ...second.L] } : mistyped();
    }
    default: {
      const [left, right] = [assignedValue(assigned.left, before, bound), assignedValue(assigned.right, before, bound)];
      if (left.N === undefined || right.N === undefined) return mistyped();
      return { N: addNumbers(left.N, assigned.kind === '+' ? right.N : negated(right.N)) };
    }
  }
}

function addedTo(before: Attribute | undefined, value: Attribute): Attribute {
  if (value.N !== undefined) {
    if (before === undefined) return value;
    return before.N === undefined ? mistyped() : { N: addNumbers(before.N, value.N) };
  }
  const type = setType(value, 'ADD');
  if (before === undefined) return value;
  if (before[type] === undefined) return mistyped();
  const known = new Set((before[type] as readonly unknown[]).map(memberKey));
  const more = (value[type] as readonly unknown[]).filter((member) => !known.has(memberKey(member)));
  return { [type]: [...before[type]!, ...more] };
}

function deletedFrom(before: Attribute | undefined, value: Attribute): Attribute | undefined | 'as it is' {
  const type = setType(value, 'DELETE');
  if (before === undefined) return 'as it is';
  if (before[type] === undefined) return mistyped();
  const gone = new Set((value[type] as readonly unknown[]).map(memberKey));
  const rest = (before[type] as readonly unknown[]).filter((member) => !gone.has(memberKey(member)));
  return rest.length === 0 ? undefined : { [type]: rest };
}

function setType(value: Attribute, operator: 'ADD' | 'DELETE'): SetType {
  const type = Object.keys(value)[0]!;
  if (type === 'SS' || type === 'NS' || type === 'BS') return type;
  const allowed = operator === 'ADD' ? 'NUMBER or a set' : 'a set';
  throw invalid(
    `Invalid UpdateExpression: Incorrect operand type for operator or function; operator: ${operator}, operand type: ${type}, typeSet: ${allowed}`,
  );
}

/** Returns the holder of a path's last part. The maps and lists on the way must exist. */
function holderOf(item: Item, path: ResolvedPath): Attribute | undefined {
  let holder: Attribute | undefined = attributeOf(item, path[0] as string);
  for (const step of path.slice(1, -1)) holder = holder && memberOf(holder, step);
  return holder;
}

function put(item: Item, path: ResolvedPath, value: Attribute): void {
  const last = path.at(-1)!;
  if (path.length === 1) {
    setAttribute(item, last as string, value);
    return;
  }
  const holder = holderOf(item, path);
  if (typeof last === 'string' && holder?.M) {
    setAttribute(holder.M, last, value);
    return;
  }
  if (typeof last === 'number' && holder?.L) {
    const list = holder.L as Attribute[];
    if (last < list.length) list[last] = value;
    else list.push(value);
    return;
  }
  fail('The document path provided in the update expression is invalid for update');
}

function remove(item: Item, path: ResolvedPath): void {
  const last = path.at(-1)!;
  if (path.length === 1) {
    delete item[last as string];
    return;
  }
  const holder = holderOf(item, path);
  if (typeof last === 'string' && holder?.M) delete holder.M[last];
  else if (typeof last === 'number' && holder?.L) (holder.L as Attribute[]).splice(last, 1);
  else fail('The document path provided in the update expression is invalid for update');
}

const mistyped = (): never => fail('An operand in the update expression has an incorrect data type');

function fail(what: string): never {
  throw invalid(what);
}
