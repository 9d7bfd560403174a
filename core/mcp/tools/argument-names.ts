/**
 * Names of arguments that differ in case only from what the tool's schema calls them, or from each other. Servers that read
 * arguments into records without regard to case (Go, .NET) take one for the other, and rules, reviewers and evidence saw it
 * under its own name [mcp.argument-names].
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { invalidParams } from '../protocol/messages.ts';

/** As such readers compare names: `ſ` is an `s`, the Kelvin sign a `k`. */
const folded = (name: string): string => name.toUpperCase().toLowerCase();

const deepest = 16;

/**
 * Objects without named properties are maps, whose names are data; the arguments themselves never are.
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

/** Objects of a value that its schema gives named properties, in lists too. */
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
