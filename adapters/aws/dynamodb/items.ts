/** Conversion of rows to DynamoDB items and back. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';

export type Item = Record<string, AttributeValue>;

/** Works like `marshall`, without undefined members. JSON types take a short path; the SDK handles the rest. */
export function toItem(record: object): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(record)) {
    if (value !== undefined && typeof value !== 'function') member(item, name, attributeOf(value));
  }
  return item;
}

/**
 * Works like `unmarshall`. @typeParam R the row that the gateway stored in the item; the gateway does not re-validate
 * its own rows
 */
export function fromItem<R extends object = Record<string, unknown>>(item: Item): R {
  const record: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) member(record, name, nativeOf(value));
  return record as R;
}

export function attributeOf(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { N: String(value) };
  if (value === null) return { NULL: true };
  if (Array.isArray(value))
    return { L: value.filter((each) => each !== undefined && typeof each !== 'function').map(attributeOf) };
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) return { M: toItem(value) };
  return convertToAttr(value, { removeUndefinedValues: true });
}

function nativeOf(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined && Math.abs(Number(attribute.N)) <= Number.MAX_SAFE_INTEGER) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.M !== undefined) return fromItem(attribute.M);
  if (attribute.L !== undefined) return attribute.L.map(nativeOf);
  return convertToNative(attribute);
}

/** Sets a member, even one named `__proto__`, because names are chosen by callers. */
function member<T>(into: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  else into[name] = value;
}
