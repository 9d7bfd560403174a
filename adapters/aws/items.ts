/** Shared shape of every store file: marshalled items and opaque cursors. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

export type Item = Record<string, AttributeValue>;

export const toItem = (record: object): Item => marshall(record, { removeUndefinedValues: true });

export const fromItem = (item: Item): Record<string, unknown> => unmarshall(item);

/** A DynamoDB key as an opaque cursor, and back. */
export const toCursor = (key: Item | undefined): string | undefined =>
  key && Buffer.from(JSON.stringify(fromItem(key))).toString('base64url');

/** @throws GatewayError `invalid_request` for a cursor we did not make. */
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

/** Whatever the store throws that is no condition: the caller is refused, nothing is guessed (fail closed). */
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
