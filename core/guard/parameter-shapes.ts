/**
 * Describes a schema parameter by parameter at every depth: the type, whether it is required, and a digest of other
 * keywords that affect its values. Strings, choices and bounds are omitted: strings are checked as text, and bounds
 * only narrow the values [guard.changes].
 */

import { digestOf } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { secrecyOf } from '#core/text/secrets/secret-names.ts';

interface Shape {
  /**
   * Names from the top level, such as `filter.owner`, `rows[].id` or `$defs.Filter.owner`. The schema itself has an
   * empty path.
   */
  readonly path: string;
  /** Mark such as `string!*~1a2b3c4d`: the type, `!` if required, `*` if secret, and the digest of the rest. */
  readonly mark: string;
}

const maxLevels = 16;
const maxShapes = 1_000;
/** Keywords for which every change counts, regardless of the value. */
const deciding = `default const $ref $dynamicRef not if then else patternProperties prefixItems dependentSchemas
  dependentRequired propertyNames unevaluatedProperties contains contentSchema`.split(/\s+/);
const compositions = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns the shapes in schema order. Deeper levels, and parameters beyond the maximum, share a single digest. */
export function shapesOf({ inputSchema }: JsonObject): Shape[] {
  const shapes: Shape[] = [];
  walk(inputSchema, { path: '', required: true, within: true, level: 0 }, shapes);
  return shapes;
}

interface ParameterPosition {
  readonly path: string;
  readonly required: boolean;
  /** True if parameters that are required here are also required in the call or, for definitions in `$defs`, may be. */
  readonly within: boolean;
  readonly level: number;
}

function walk(schema: Json | undefined, { path, required, within, level }: ParameterPosition, shapes: Shape[]): void {
  if (shapes.length >= maxShapes || level > maxLevels) {
    shapes.push({ path: `${path}…`, mark: `any~${digestOf(schema ?? null).slice(0, 8)}` });
    return;
  }
  const name = path.slice(path.lastIndexOf('.') + 1).replaceAll('[]', '');
  shapes.push({ path, mark: markOf(schema, required, secrecyOf(name) !== 'none') });
  if (!isObject(schema)) return;
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const named = (key: string) => (path === '' ? key : `${path}.${key}`);
  const below = (member: Json, at: string, isRequired: boolean, isWithin = isRequired) =>
    walk(member, { path: at, required: isRequired, within: isWithin, level: level + 1 }, shapes);
  for (const [key, member] of entriesOf(schema.properties)) below(member, named(key), within && needed.has(key));
  for (const list of ['$defs', 'definitions'])
    for (const [key, member] of entriesOf(schema[list])) below(member, named(`${list}.${key}`), false, true);
  if (isObject(schema.items)) below(schema.items, `${path}[]`, within);
  for (const list of compositions)
    if (Array.isArray(schema[list]))
      for (const [at, member] of schema[list].entries())
        below(member, named(`${list}${at}`), within && list === 'allOf');
}

const entriesOf = (value: Json | undefined): [string, Json][] => (isObject(value) ? Object.entries(value) : []);

function markOf(schema: Json | undefined, required: boolean, secret: boolean): string {
  const { type, additionalProperties, ...rest } = isObject(schema) ? schema : ({} as JsonObject);
  const others: Record<string, Json> = {};
  for (const key of deciding) if (rest[key] !== undefined) others[key] = rest[key];
  if (isObject(additionalProperties)) others.additionalProperties = additionalProperties;
  const plain = typeof type === 'string' && /^[a-z]{1,8}$/.test(type);
  if (type !== undefined && !plain) others.type = type;
  const digest = Object.keys(others).length > 0 ? `~${digestOf(others).slice(0, 8)}` : '';
  return `${plain ? type : 'any'}${required ? '!' : ''}${secret ? '*' : ''}${digest}`;
}
