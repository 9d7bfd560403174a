/** Compares two tool definitions member by member [guard.changes]. */

import { canonicalize } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

interface ChangedMember {
  /** Path such as `inputSchema.properties.path.type`. A list counts as a single place. */
  readonly path: string;
  /** Previous value: a string verbatim, other values as JSON. Absent if there was none. */
  readonly before?: string;
  readonly after?: string;
}

const maxDifferences = 200;
const maxCharacters = 16_384;

/** Returns at most `maxDifferences` differences, sorted by path. Either definition may be missing. */
export function differenceBetween(before: JsonObject | undefined, after: JsonObject | undefined): ChangedMember[] {
  const found: ChangedMember[] = [];
  compare('', before, after, found);
  return found;
}

function compare(path: string, before: Json | undefined, after: Json | undefined, found: ChangedMember[]): void {
  if (found.length >= maxDifferences || isSameJson(before, after)) return;
  if (isOpen(before, after)) {
    const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
    for (const name of [...names].sort())
      compare(memberPath(path, name), memberOf(before, name), memberOf(after, name), found);
    return;
  }
  found.push({
    path,
    ...(before !== undefined && { before: shortJson(before) }),
    ...(after !== undefined && { after: shortJson(after) }),
  });
}

/** Reports whether members are compared individually, which is also done if only one side is an object. */
const isOpen = (before: Json | undefined, after: Json | undefined): boolean =>
  (isObject(before) || isObject(after)) &&
  (isObject(before) || before === undefined) &&
  (isObject(after) || after === undefined) &&
  Object.keys(before ?? {}).length + Object.keys(after ?? {}).length > 0;

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const memberPath = (path: string, name: string): string => {
  const member = /^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name);
  return path === '' ? member : `${path}.${member}`;
};

const isSameJson = (one: Json | undefined, other: Json | undefined): boolean =>
  one === other || (one !== undefined && other !== undefined && canonicalize(one) === canonicalize(other));

function shortJson(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}… (${text.length} characters)`;
}
