/**
 * Completions for a position in the policies: keys and words from the schema, with their descriptions
 * [console.policy-editor].
 */
import * as z from 'zod';
import { toolPolicies } from '#core/contracts/config/tool-policies.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly description?: string;
}

interface YamlPosition {
  /** Keys that enclose the position, outermost first. List entries are `-`. */
  readonly path: readonly string[];
  /** Keys that are already in the same map. */
  readonly siblings: readonly string[];
  /** The key whose value is being typed; undefined if a key is being typed. */
  readonly key: string | undefined;
  /** Start of the word being typed. */
  readonly from: number;
}

interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** True for a key, which must be followed by its value. */
  readonly isKey: boolean;
}

const keyOf = /^(\s*)((?:-\s+)*)(?:"([^"]*)"|([^\s:#"'{[][^:#]*?))\s*:(?:\s|$)/;
const indentOf = (line: string): number => /^[\s-]*/.exec(line)![0].length;

/** Finds the YAML path of a position by indentation, because a draft may be incomplete. */
export function placeAt(text: string, offset: number): YamlPosition {
  const lines = text.slice(0, offset).split('\n');
  const last = lines.at(-1)!;
  const word = /[\w-]*$/.exec(last)![0];
  const from = offset - word.length;
  const [, , , quoted, plain] = keyOf.exec(last) ?? [];
  const key = quoted ?? plain;
  const own = indentOf(last);
  const isEntry = /^\s*-\s/.test(last);
  const path: string[] = [];
  let inside = own;
  // Column of the dash of the list entry that contains the position.
  let dash = isEntry ? last.indexOf('-') : undefined;
  const siblings: string[] = [];
  for (const line of lines.slice(0, -1).toReversed()) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const indent = indentOf(line);
    const [, , , q, p] = keyOf.exec(line) ?? [];
    const name = q ?? p;
    const startsEntry = /^\s*-\s/.test(line);
    const column = startsEntry ? line.indexOf('-') : indent;
    if (dash !== undefined) {
      if (name !== undefined && !startsEntry && indent <= dash) {
        path.unshift(name, '-');
        [inside, dash] = [indent, undefined];
      }
      continue;
    }
    if (indent === inside && name !== undefined) {
      if (path.length === 0) siblings.push(name);
      if (startsEntry) dash = column;
    } else if (indent < inside && name !== undefined) {
      path.unshift(name);
      inside = indent;
      if (startsEntry) dash = column;
    }
  }
  return { path, siblings, key, from };
}

let root: Schema | undefined;

/** Suggests keys in a map, and words for a value. */
export function suggestionsAt({ path, siblings, key }: YamlPosition): readonly Suggestion[] {
  root ??= z.toJSONSchema(toolPolicies, { io: 'input', unrepresentable: 'any' }) as Schema;
  const at = path.reduce<readonly Schema[]>(
    (schemas, step) => schemas.flatMap((each) => childSchemas(each, step)),
    [root],
  );
  if (key === undefined) return at.flatMap((schema) => [...keysOf(schema, siblings), ...valueSuggestions(schema)]);
  const isPack = path.length === 0 && key === 'pack';
  const packs = isPack ? shippedPacks.map((name) => word(name, 'Pack that ships with the gateway.')) : [];
  return [...packs, ...at.flatMap((schema) => childSchemas(schema, key)).flatMap(valueSuggestions)];
}

const keysOf = ({ properties = {} }: Schema, siblings: readonly string[]): Suggestion[] =>
  Object.entries(properties)
    .filter(([name]) => !siblings.includes(name))
    .map(([label, { description = '' }]) => ({ label, detail: description, isKey: true }));

const word = (label: unknown, detail = ''): Suggestion => ({ label: String(label), detail, isKey: false });

const alternativesOf = (schema: Schema): readonly Schema[] => [schema, ...(schema.anyOf ?? []).flatMap(alternativesOf)];

function childSchemas(schema: Schema, step: string): readonly Schema[] {
  return alternativesOf(schema).flatMap(({ properties, items, additionalProperties }) => {
    if (step === '-') return items ? alternativesOf(items) : [];
    const own = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
    if (own) return alternativesOf(own);
    return typeof additionalProperties === 'object' ? alternativesOf(additionalProperties) : [];
  });
}

function valueSuggestions(schema: Schema): Suggestion[] {
  if (schema.enum) return schema.enum.map((each) => word(each, schema.description));
  if (schema.const !== undefined) return [word(schema.const, schema.description)];
  return schema.type === 'boolean' ? [word(true), word(false)] : [];
}
