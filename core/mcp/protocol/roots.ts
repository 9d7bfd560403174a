/** Roots that a client declares with a call or in its response to `roots/list` [guard.roots]. */

import { rootOf } from '#core/guard/root.ts';
import type { Json } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { invalidParams, type RpcOutcome } from './messages.ts';

/** Key under which a host application declares a call's roots. Never sent to the server. */
export const rootsKey = 'agent-governance-gateway/roots';

const maxRoots = 64;
const longestRoot = 1_024;

/** Returns the declared roots. @throws RpcFault -32602 for a value that is not a list of roots. */
export function rootsOf(value: Json | undefined): string[] | undefined {
  if (value === undefined) return undefined;
  const isRoot = (each: Json): each is string =>
    typeof each === 'string' && each.length <= longestRoot && rootOf(each) !== undefined;
  if (Array.isArray(value) && value.length > 0 && value.length <= maxRoots && value.every(isRoot)) return value;
  throw invalidParams(
    `params._meta["${rootsKey}"] must be a list of 1 to ${maxRoots} absolute paths or URIs, each of at most ${longestRoot} characters.`,
  );
}

/**
 * Returns the roots in a response to `roots/list`, or undefined for any other response. An unreadable root stays in the
 * list as a root that contains no path.
 */
export function rootsInAnswer(outcome: RpcOutcome): string[] | undefined {
  const listed = 'result' in outcome ? outcome.result.roots : undefined;
  if (!Array.isArray(listed)) return undefined;
  return listed
    .slice(0, maxRoots)
    .map((each) => (isObject(each) && typeof each.uri === 'string' ? each.uri.slice(0, longestRoot + 1) : ''))
    .map((uri) => (uri.length > longestRoot ? '' : uri));
}
