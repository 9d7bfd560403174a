/**
 * What a schema takes, parameter by parameter at every depth: the type, whether it is required, and a digest of what else decides
 * about its values. Texts, choices and bounds are left out: texts are read as texts, and bounds only narrow [guard.changes].
 */
import { secrecyOf } from '#core/evidence/secret-names.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

interface Shape {
  /** Names from the top, such as `filter.owner`, `rows[].id` or `$defs.Filter.owner`; the schema itself is the empty text. */
  readonly path: string;
  /** `string!*~1a2b3c4d`: the type, `!` where it is required, `*` where it is a secret, the digest of the rest. */
  readonly mark: string;
}

const maxLevels = 16;
const maxShapes = 1_000;
/** Keywords whose every change counts, whatever stands under them. */
const deciding = `default const $ref $dynamicRef not if then else patternProperties prefixItems dependentSchemas
  dependentRequired propertyNames unevaluatedProperties contains contentSchema`.split(/\s+/);
const compositions = ['allOf', 'anyOf', 'oneOf'] as const;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** In the order of the schema. What lies deeper, or behind the last of many, is one digest. */
export function shapesOf({ inputSchema }: JsonObject): Shape[] {
  const shapes: Shape[] = [];
  walk(inputSchema, '', true, 0, shapes);
  return shapes;
}

/** @param within whether what is required inside of it is required of the call: of a definition (`$defs`), it may be. */
function walk(
  schema: Json | undefined,
  path: string,
  required: boolean,
  level: number,
  shapes: Shape[],
  within = required,
): void {
  if (shapes.length >= maxShapes || level > maxLevels) {
    shapes.push({ path: `${path}…`, mark: `any~${digestOf(schema ?? null).slice(0, 8)}` });
    return;
  }
  const name = path.slice(path.lastIndexOf('.') + 1).replaceAll('[]', '');
  shapes.push({ path, mark: markOf(schema, required, secrecyOf(name) !== 'none') });
  if (!isObject(schema)) return;
  const needed = new Set(Array.isArray(schema.required) ? schema.required : []);
  const below = (key: string) => (path === '' ? key : `${path}.${key}`);
  for (const [key, member] of entriesOf(schema.properties))
    walk(member, below(key), within && needed.has(key), level + 1, shapes);
  for (const list of ['$defs', 'definitions'])
    for (const [key, member] of entriesOf(schema[list]))
      walk(member, below(`${list}.${key}`), false, level + 1, shapes, true);
  if (isObject(schema.items)) walk(schema.items, `${path}[]`, within, level + 1, shapes);
  for (const list of compositions)
    if (Array.isArray(schema[list]))
      for (const [at, member] of schema[list].entries())
        walk(member, below(`${list}${at}`), within && list === 'allOf', level + 1, shapes);
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
