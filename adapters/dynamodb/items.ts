/** Shared by every store file: marshalled items and opaque cursors. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { convertToAttr, convertToNative } from '@aws-sdk/util-dynamodb';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

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
 * Works like `unmarshall`. @typeParam Row the type the gateway stored in the item; its own rows are not parsed again.
 */
export function fromItem<Row extends object = Record<string, unknown>>(item: Item): Row {
  const record: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) member(record, name, nativeOf(value));
  return record as Row;
}

/** Attributes of an item besides its row: keys of its indexes and its time to live. */
export type Beside<Name extends string> = { readonly [Key in Name]?: unknown };

function attributeOf(value: unknown): AttributeValue {
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

/** Sets a member, also one named `__proto__`: callers choose names. */
function member<T>(into: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__')
    Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
  else into[name] = value;
}

/** Returns a DynamoDB key as an opaque cursor. */
export const toCursor = (key: Item | undefined): string | undefined =>
  key && Buffer.from(JSON.stringify(fromItem(key))).toString('base64url');

/** Returns the key of a cursor. @throws GatewayError `invalid_request` for a cursor the gateway did not make. */
export function fromCursor(cursor: string | undefined, attributes: readonly string[]): Item | undefined {
  if (cursor === undefined) return undefined;
  let key: unknown;
  try {
    key = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    key = undefined;
  }
  const fits =
    key !== null &&
    typeof key === 'object' &&
    Object.keys(key).sort().join() === [...attributes].sort().join() &&
    Object.values(key).every((value) => typeof value === 'string');
  if (!fits)
    throw invalidRequest('cursor was not made by this service; pass the cursor of the previous page unchanged.');
  return toItem(key as object);
}

/** Turns every fault except a condition into a refusal of the caller (fail closed). */
export function storeDown(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return new GatewayError('service_unavailable', 'The store did not answer; nothing was written. Try again shortly.', {
    cause,
    retryAfterSeconds: 1,
  });
}

/** Runs a store call; its faults become `service_unavailable`. */
export async function stored<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    throw storeDown(cause);
  }
}
