/**
 * Checks arguments against a tool's declared schema [guard.arguments]. A schema is untrusted text, so only independent
 * keywords that need a single comparison are read (`type`, `required`, `properties`, `additionalProperties: false`,
 * `items`, `enum`, `const`). References, compositions, patterns and bounds are ignored, so a schema cannot cause
 * compilation, repetition or fetches.
 */

import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

interface SchemaViolation {
  /** Path of members and indexes, such as `arguments.items[0].id`. */
  readonly where: string;
  /** The allowed form, without any values from the argument or the schema. */
  readonly problem: string;
}

const maxLevels = 32;
const maxMisfits = 5;
/** Maximum number of values to compare. A larger call is reported as a violation. */
const maxValues = 20_000;
const maxChoices = 200;

/** Returns the first violations, in the order of the arguments. */
export function schemaViolations(schema: unknown, args: JsonObject): SchemaViolation[] {
  const reading: Reading = { misfits: [], values: 0 };
  checkValue(schema, args, 'arguments', 0, reading);
  return reading.misfits;
}

interface Reading {
  readonly misfits: SchemaViolation[];
  values: number;
}

function checkValue(schema: unknown, value: unknown, where: string, level: number, reading: Reading): void {
  if (reading.misfits.length >= maxMisfits) return;
  // In older drafts, members next to a reference are ignored.
  if (!isObject(schema) || '$ref' in schema || '$dynamicRef' in schema) return;
  const add = (problem: string) => addMisfit(reading, where, problem);
  if (level > maxLevels || ++reading.values > maxValues) return void add('is too deep or too large to be compared');
  const types = typesOf(schema.type);
  if (types && !types.some((type) => isOf(type, value))) return void add(`must be ${types.join(' or ')}`);
  const choices = choicesOf(schema);
  if (choices && !choices.includes(value as string))
    return void add(`must be one of the ${choices.length} values that the schema lists`);
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      if (Array.isArray(schema.prefixItems) || Array.isArray(schema.items)) return;
      checkValue(schema.items, item, `${where}[${at}]`, level + 1, reading);
    }
    return;
  }
  if (isObject(value)) checkMembers(schema, value, where, level, reading);
}

function addMisfit({ misfits }: Reading, where: string, problem: string): void {
  if (misfits.length < maxMisfits) misfits.push({ where: where.slice(0, 200), problem });
}

function checkMembers(schema: JsonObject, value: JsonObject, where: string, level: number, reading: Reading): void {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const closed = schema.additionalProperties === false && schema.patternProperties === undefined;
  const required = Array.isArray(schema.required) ? schema.required.slice(0, 1_000) : [];
  for (const name of required)
    if (typeof name === 'string' && !Object.hasOwn(value, name))
      addMisfit(reading, `${where}.${safeName(name)}`, 'is required');
  for (const [name, member] of Object.entries(value)) {
    if (reading.misfits.length >= maxMisfits) return;
    const at = `${where}.${safeName(name)}`;
    if (Object.hasOwn(properties, name)) checkValue(properties[name], member, at, level + 1, reading);
    else if (closed) addMisfit(reading, at, `is not a parameter; ${parameterList(properties)}`);
  }
}

const typeNames = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

/** Returns the types. Undefined if they are not JSON Schema types and so cannot be compared. */
function typesOf(type: unknown): readonly string[] | undefined {
  const types = typeof type === 'string' ? [type] : type;
  return Array.isArray(types) && types.length > 0 && types.every((each) => typeNames.has(each)) ? types : undefined;
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  const kind: string = typeof value;
  return kind === type;
}

/** Returns the choices if all of them are scalars. Objects and arrays are not compared. */
function choicesOf(schema: JsonObject): readonly unknown[] | undefined {
  const choices = 'const' in schema ? [schema.const] : schema.enum;
  if (!Array.isArray(choices) || choices.length === 0 || choices.length > maxChoices) return undefined;
  return choices.some((each) => typeof each === 'object' && each !== null) ? undefined : choices;
}

const safeName = (name: string): string => (/^[A-Za-z_][\w.-]{0,63}$/.test(name) ? name : '*');
function parameterList(properties: JsonObject): string {
  const names = Object.keys(properties).slice(0, 20).map(safeName);
  return names.length === 0 ? 'the tool takes no parameters' : `the tool takes ${names.join(', ')}`;
}
