/** Evaluates a condition on a row. */
import type { Condition, Path, Row } from '../../tables/store.ts';

/** @param row if absent, neither the row nor any of its attributes exists. */
export function meetsCondition(condition: Condition, row: Row | undefined): boolean {
  if ('absent' in condition) return valueAt(row, condition.absent) === undefined;
  if ('present' in condition) return valueAt(row, condition.present) !== undefined;
  if ('equals' in condition) return valueAt(row, condition.equals[0]) === condition.equals[1];
  if ('differs' in condition) return valueAt(row, condition.differs[0]) !== condition.differs[1];
  if ('below' in condition) return (compareWithBound(row, condition.below) ?? 0) < 0;
  if ('atMost' in condition) return (compareWithBound(row, condition.atMost) ?? 1) <= 0;
  if ('above' in condition) return (compareWithBound(row, condition.above) ?? 0) > 0;
  if ('fewer' in condition) return (countOf(valueAt(row, condition.fewer[0])) ?? Infinity) < condition.fewer[1];
  if ('holds' in condition) {
    const set = valueAt(row, condition.holds[0]);
    return set instanceof Set && set.has(condition.holds[1]);
  }
  if ('all' in condition) return condition.all.every((each) => meetsCondition(each, row));
  return condition.any.some((each) => meetsCondition(each, row));
}

export function valueAt(row: Row | undefined, path: Path): unknown {
  if (row === undefined) return undefined;
  if (typeof path === 'string') return Object.hasOwn(row, path) ? row[path] : undefined;
  let value: unknown = row;
  for (const name of path) {
    if (!isMap(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Set) &&
  !ArrayBuffer.isView(value);

/** Returns how a value compares with its bound, or undefined if they have different types. */
function compareWithBound(row: Row | undefined, [path, bound]: readonly [Path, string | number]): number | undefined {
  const value = valueAt(row, path);
  if (typeof value === 'number' && typeof bound === 'number') return value - bound;
  return typeof value === 'string' && typeof bound === 'string' ? textOrder(value, bound) : undefined;
}

/** Compares strings by their UTF-8 bytes, as DynamoDB and SQLite columns do. */
const textOrder = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Counts the members of sets, maps and lists, and the characters of strings. */
function countOf(value: unknown): number | undefined {
  if (value instanceof Set) return value.size;
  if (isMap(value)) return Object.keys(value).length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return typeof value === 'string' || Array.isArray(value) ? value.length : undefined;
}
