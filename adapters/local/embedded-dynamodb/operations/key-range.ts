/** Turns a key condition into a range of columns: one partition, and a range of the sort key. */
import type { Bound } from '../expressions/paths.ts';
import { resolve } from '../expressions/paths.ts';
import type { Comparator, Condition, Operand } from '../expressions/tree.ts';
import { invalid, oneInvalid } from '../faults.ts';
import { type Column, columnOf, type KeyAttribute, type KeySchema } from '../keys.ts';
import { type Attribute, bytesOf } from '../values.ts';

interface Limit {
  readonly by: '=' | '<' | '<=' | '>' | '>=';
  readonly column: Column;
}

export interface KeyRange {
  readonly partition: Column;
  /** All of them apply to the sort key. */
  readonly sort: readonly Limit[];
}

const allowed = (what: string): Error => invalid(`Invalid KeyConditionExpression: ${what}`);
const mirrored: Readonly<Record<Comparator, Comparator>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

interface Part {
  readonly name: string;
  readonly by: Comparator | 'between' | 'begins_with';
  readonly values: readonly Attribute[];
}

/** @throws ValidationException for conditions that are not `partition = value [AND one range of the sort key]` */
export function keyRange(condition: Condition, { partition, sort }: KeySchema, bound: Bound): KeyRange {
  const parts = partsOf(condition, bound);
  const first = parts.find(({ name }) => name === partition.name);
  const second = parts.find((part) => part !== first);
  if (!first) throw invalid(`Query condition missed key schema element: ${partition.name}`);
  if (first.by !== '=') throw invalid('Query key condition not supported');
  const one = columnFor(first.values[0]!, partition);
  if (!second) return { partition: one, sort: [] };
  if (parts.length > 2) throw invalid('Conditions can be of length 1 or 2 only');
  if (second.name === partition.name) throw allowed('KeyConditionExpressions must only contain one condition per key');
  if (!sort || second.name !== sort.name)
    throw invalid(`Query condition missed key schema element: ${sort?.name ?? partition.name}`);
  return { partition: one, sort: limitsOf(second, sort) };
}

function partsOf(condition: Condition, bound: Bound): Part[] {
  switch (condition.kind) {
    case 'and':
      return [...partsOf(condition.left, bound), ...partsOf(condition.right, bound)];
    case 'compare': {
      const turned = condition.left.kind === 'value';
      const [key, value] = turned ? [condition.right, condition.left] : [condition.left, condition.right];
      const by = turned ? mirrored[condition.by] : condition.by;
      if (by === '<>') throw allowed('Unsupported operator: <>');
      return [{ name: nameOf(key, bound), by, values: [operandValue(value, bound)] }];
    }
    case 'between': {
      const values = [operandValue(condition.low, bound), operandValue(condition.high, bound)];
      return [{ name: nameOf(condition.operand, bound), by: 'between', values }];
    }
    case 'begins_with':
      return [
        { name: nameOf(condition.operand, bound), by: 'begins_with', values: [operandValue(condition.other, bound)] },
      ];
    default:
      throw allowed(`Invalid operator used in KeyConditionExpression: ${condition.kind}`);
  }
}

function nameOf(operand: Operand, bound: Bound): string {
  const [name, ...more] = operand.kind === 'path' ? resolve(operand.path, bound) : [];
  if (typeof name !== 'string' || more.length > 0)
    throw allowed('KeyConditionExpressions cannot have conditions on nested attributes');
  return name;
}

function operandValue(operand: Operand, bound: Bound): Attribute {
  const value = operand.kind === 'value' ? bound.values[operand.placeholder] : undefined;
  if (!value) throw allowed('Attributes are compared with values only');
  return value;
}

function columnFor(value: Attribute, key: KeyAttribute): Column {
  if (value[key.type] === undefined) throw oneInvalid('Condition parameter type does not match schema type');
  const column = columnOf(value, key);
  if (column.length === 0)
    throw oneInvalid(
      `The AttributeValue for a key attribute cannot contain an empty ${key.type === 'S' ? 'string' : 'binary'} value. Key: ${key.name}`,
    );
  return column;
}

function limitsOf({ by, values }: Part, key: KeyAttribute): Limit[] {
  const columns = values.map((value) => columnFor(value, key));
  const [low, high] = columns as [Column, Column];
  if (by === 'between') {
    if (isAbove(low, high))
      throw allowed(
        'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue, upper bound operand: AttributeValue',
      );
    return [
      { by: '>=', column: low },
      { by: '<=', column: high },
    ];
  }
  if (by !== 'begins_with') return [{ by: by as Limit['by'], column: low }];
  if (key.type === 'N')
    throw allowed(
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
    );
  const end = endOfPrefix(low);
  return [{ by: '>=', column: low }, ...(end === undefined ? [] : [{ by: '<' as const, column: end }])];
}

const isAbove = (one: Column, other: Column): boolean => Buffer.compare(bytesIn(one), bytesIn(other)) > 0;
const bytesIn = (column: Column): Uint8Array => (typeof column === 'string' ? Buffer.from(column) : column);

/** Returns the first key after all with this prefix; undefined if there is none. */
function endOfPrefix(prefix: Column): Column | undefined {
  if (typeof prefix !== 'string') {
    const bytes = [...bytesOf(prefix)];
    while (bytes.at(-1) === 0xff) bytes.pop();
    return bytes.length === 0 ? undefined : Uint8Array.from(bytes.with(-1, bytes.at(-1)! + 1));
  }
  const points = [...prefix].map((character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  if (points.length === 0) return undefined;
  const last = points.at(-1)! + 1;
  return String.fromCodePoint(...points.slice(0, -1), last >= 0xd800 && last <= 0xdfff ? 0xe000 : last);
}
