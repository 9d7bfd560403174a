/** Evaluates a condition for an item. */
import { type Attribute, bytesOf, equal, type Item, memberKey, order, typeOf } from '../values.ts';
import { type Bound, valueAt } from './paths.ts';
import type { Comparator, Condition, Operand } from './tree.ts';

export function holds(condition: Condition, item: Item, bound: Bound): boolean {
  switch (condition.kind) {
    case 'and':
      return holds(condition.left, item, bound) && holds(condition.right, item, bound);
    case 'or':
      return holds(condition.left, item, bound) || holds(condition.right, item, bound);
    case 'not':
      return !holds(condition.of, item, bound);
    case 'exists':
      return valueAt(item, condition.path, bound) !== undefined;
    case 'not_exists':
      return valueAt(item, condition.path, bound) === undefined;
    case 'compare': {
      const [left, right] = [operandValue(condition.left, item, bound), operandValue(condition.right, item, bound)];
      if (condition.by === '<>') return left === undefined || right === undefined || !equal(left, right);
      return left !== undefined && right !== undefined && compares(left, condition.by, right);
    }
    case 'between': {
      const [value, low, high] = [condition.operand, condition.low, condition.high].map((operand) =>
        operandValue(operand, item, bound),
      );
      return !!value && !!low && !!high && compares(value, '>=', low) && compares(value, '<=', high);
    }
    case 'in': {
      const value = operandValue(condition.operand, item, bound);
      if (value === undefined) return false;
      return condition.list.some((operand) => {
        const other = operandValue(operand, item, bound);
        return other !== undefined && equal(value, other);
      });
    }
    case 'attribute_type': {
      const value = operandValue(condition.operand, item, bound);
      return value !== undefined && typeOf(value) === operandValue(condition.other, item, bound)?.S;
    }
    case 'begins_with': {
      const [value, prefix] = [
        operandValue(condition.operand, item, bound),
        operandValue(condition.other, item, bound),
      ];
      return value !== undefined && prefix !== undefined && begins(value, prefix);
    }
    case 'contains': {
      const [value, part] = [operandValue(condition.operand, item, bound), operandValue(condition.other, item, bound)];
      return value !== undefined && part !== undefined && contains(value, part);
    }
  }
}

function operandValue(operand: Operand, item: Item, bound: Bound): Attribute | undefined {
  if (operand.kind === 'path') return valueAt(item, operand.path, bound);
  if (operand.kind === 'value') return bound.values[operand.placeholder];
  const value = operandValue(operand.of, item, bound);
  const size = value && countOf(value);
  return size === undefined ? undefined : { N: String(size) };
}

function countOf(value: Attribute): number | undefined {
  if (value.S !== undefined) return value.S.length;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.M !== undefined) return Object.keys(value.M).length;
  return (value.L ?? value.SS ?? value.NS ?? value.BS)?.length;
}

function compares(left: Attribute, by: Comparator, right: Attribute): boolean {
  if (by === '=') return equal(left, right);
  const found = order(left, right);
  if (found === undefined) return false;
  if (by === '<') return found < 0;
  if (by === '<=') return found <= 0;
  return by === '>' ? found > 0 : found >= 0;
}

function begins(value: Attribute, prefix: Attribute): boolean {
  if (value.S !== undefined && prefix.S !== undefined) return value.S.startsWith(prefix.S);
  if (value.B === undefined || prefix.B === undefined) return false;
  return bytesOf(value.B).subarray(0, prefix.B.byteLength).equals(bytesOf(prefix.B));
}

/** Checks for a part of a text or of bytes, a member of a set, an element of a list. */
function contains(value: Attribute, part: Attribute): boolean {
  if (value.S !== undefined) return part.S !== undefined && value.S.includes(part.S);
  if (value.B !== undefined) return part.B !== undefined && bytesOf(value.B).includes(bytesOf(part.B));
  if (value.L !== undefined) return value.L.some((element) => equal(element, part));
  const [members, member] = value.SS ? [value.SS, part.S] : value.NS ? [value.NS, part.N] : [value.BS ?? [], part.B];
  return member !== undefined && members.some((each) => memberKey(each) === memberKey(member));
}
