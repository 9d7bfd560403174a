/** Store keys as opaque cursors. */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Key } from './store.ts';

/** Returns the last key of a page as an opaque cursor. */
export const toCursor = (key: Key | undefined): string | undefined =>
  key && Buffer.from(JSON.stringify(key)).toString('base64url');

/** Returns a cursor's key. @throws GatewayError `invalid_request` for a cursor that the gateway did not create. */
export function fromCursor(cursor: string | undefined, attributes: readonly string[]): Key | undefined {
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
  return key as Key;
}
