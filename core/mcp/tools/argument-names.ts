/**
 * Rejects argument names that differ only in case from the tool's schema or from each other. Servers that parse
 * arguments case-insensitively (Go, .NET) confuse them, while rules, reviewers and evidence saw another name
 * [mcp.argument-names].
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { invalidParams } from '../protocol/messages.ts';

/** Folds a name as such servers compare it: `ſ` equals `s`, the Kelvin sign equals `k`. */
const folded = (name: string): string => name.toUpperCase().toLowerCase();

const deepest = 16;

/**
 * Rejects ambiguous names. Nested objects without named properties are maps, whose names are data; the arguments
 * themselves are always checked.
 * @throws RpcFault -32602 that names both.
 */
export function assertOwnNames(schema: unknown, args: JsonObject, path: readonly string[] = []): void {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {};
  const known = new Map(Object.keys(properties).map((name) => [folded(name), name]));
  for (const [name, value] of Object.entries(args)) {
    const own = Object.hasOwn(properties, name);
    const other = own ? name : known.get(folded(name));
    if (other !== undefined && other !== name) throw refusal([...path, name], [...path, other]);
    known.set(folded(name), name);
    if (path.length >= deepest) continue;
    const below = own ? properties[name] : undefined;
    for (const [inner, at] of recordsIn(below, value)) assertOwnNames(at, inner, [...path, name]);
  }
}

/** Returns the objects of a value, also in lists, whose schema names properties. */
function recordsIn(schema: unknown, value: unknown): [JsonObject, unknown][] {
  if (!isObject(schema)) return [];
  if (Array.isArray(value)) return value.flatMap((item) => recordsIn(schema.items, item));
  return isObject(value) && isObject(schema.properties) ? [[value, schema]] : [];
}

const refusal = (found: readonly string[], other: readonly string[]) =>
  invalidParams(
    `arguments.${shown(found)} differs from ${shown(other)} in case only, and servers may take one for the other. Send it as ${shown(other)}, once.`,
  );

const shown = (path: readonly string[]): string => path.join('.').slice(0, 200);
