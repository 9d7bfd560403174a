/** Extracts from a tool definition its parameters and all text that a model reads, each with its place. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

export interface PlacedText {
  readonly where: string;
  readonly text: string;
}

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly type: string;
  readonly description: string;
}

const maxTexts = 2_000;
const maxLevels = 24;
/** JSON Schema keywords. */
const ofSchema = new Set(['$schema', '$id', '$ref', 'type', 'format']);

/**
 * Returns titles, descriptions, defaults, examples, choices and parameter names. The place of a parameter name does not
 * include the name.
 */
export function definitionTexts({
  title,
  description,
  annotations,
  inputSchema,
  outputSchema,
  icons,
  _meta,
}: JsonObject): PlacedText[] {
  const texts: PlacedText[] = [];
  const add = (where: string, text: unknown) => {
    if (typeof text === 'string' && text !== '' && texts.length < maxTexts) texts.push({ where, text });
  };
  add('description', description);
  add('title', title);
  for (const [where, member] of Object.entries({ annotations, inputSchema, outputSchema, icons, _meta }))
    if (member !== undefined) walk(member, where, 0, add);
  return texts;
}

function walk(value: Json, where: string, level: number, add: (where: string, text: unknown) => void): void {
  if (typeof value === 'string') add(where, value);
  if (level > maxLevels || value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, where, level + 1, add);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (ofSchema.has(key) && typeof item === 'string' && item.length < 100) continue;
    if (key.length > 12) add(`${where}.<name>`, key);
    walk(item, /^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(key) ? `${where}.${key}` : `${where}.*`, level + 1, add);
  }
}

/** Returns the tool's top-level parameters. */
export function parametersOf({ inputSchema }: JsonObject): Parameter[] {
  if (!isObject(inputSchema) || !isObject(inputSchema.properties)) return [];
  const required = Array.isArray(inputSchema.required) ? new Set(inputSchema.required) : new Set<Json>();
  return Object.entries(inputSchema.properties).map(([name, schema]) => {
    const { type, description } = isObject(schema) ? schema : ({} as JsonObject);
    return {
      name,
      required: required.has(name),
      type: typeof type === 'string' ? type : 'any',
      description: typeof description === 'string' ? description : '',
    };
  });
}
