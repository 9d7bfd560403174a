/** The roots of a call: those declared with the call, and those that its client's session listed last [guard.roots]. */

import type { RootLists } from '#core/guard/roots.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { rootsKey, rootsOf } from '../protocol/roots.ts';
import type { Caller } from './caller.ts';

/** Returns the roots of a call. @throws RpcFault -32602 for roots that cannot be parsed. */
export function declaredRoots({ session }: Pick<Caller, 'session'>, meta: Json | undefined): RootLists {
  const ofCall = isObject(meta) ? rootsOf(meta[rootsKey]) : undefined;
  const ofSession = session?.roots;
  return [ofCall, ofSession].filter((list) => list !== undefined && list.length > 0) as RootLists;
}

/**
 * Returns the roots that apply to reading a resource. Client roots are folders: they limit only file resources, and
 * checks for other schemes are left to the server.
 */
export function rootsForReading(
  caller: Pick<Caller, 'session'>,
  { uri }: JsonObject,
  meta: Json | undefined,
): RootLists {
  const roots = declaredRoots(caller, meta);
  return typeof uri === 'string' && /^(?!file:)[a-z][a-z0-9+.-]{1,31}:/i.test(uri) ? [] : roots;
}
