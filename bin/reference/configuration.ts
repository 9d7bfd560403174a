import { configurationJsonSchema } from '#core/configuration/load/json-schema.ts';
import { configurationSchema } from '#features/configuration.ts';
import { code, origin, table } from './markdown.ts';

interface Node {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
}

export function configurationPage(): string {
  const rows: unknown[][] = [];
  walk(configurationJsonSchema(configurationSchema) as Node, '', rows);
  return `# Configuration

${origin('`core/contracts/config.ts`')}
One YAML file, \`config/gateway.yaml\`. The JSON Schema is [gateway.schema.json](gateway.schema.json); name it in the
file's first line (\`# yaml-language-server: $schema=../docs/reference/gateway.schema.json\`) and editors complete the keys.
Unknown keys and wrong values fail the load, with their place in the file. \`[]\` stands for each element of a list,
\`*\` for any name.

${table(['key', 'takes', 'default', ''], rows)}`;
}

function walk(node: Node, path: string, rows: unknown[][]): void {
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const key = path === '' ? name : `${path}.${name}`;
    const needed = node.required?.includes(name) ? 'required' : '';
    rows.push([
      code(key),
      typeOf(child),
      child.default === undefined ? needed : code(defaultOf(child)),
      child.description ?? '',
    ]);
    descend(child, key, rows);
  }
}

function descend(node: Node, path: string, rows: unknown[][]): void {
  if (node.properties) walk(node, path, rows);
  if (node.items) descend(node.items, `${path}[]`, rows);
  if (typeof node.additionalProperties === 'object') descend(node.additionalProperties, `${path}.*`, rows);
  for (const variant of node.anyOf ?? node.oneOf ?? []) {
    const kind = variant.properties?.type?.const;
    descend(variant, kind === undefined ? path : `${path}(${kind})`, rows);
  }
}

function defaultOf({ default: value }: Node): string {
  return value !== null && typeof value === 'object' && Object.keys(value).length === 0
    ? Array.isArray(value)
      ? '[]'
      : '{}'
    : JSON.stringify(value);
}

function typeOf(node: Node): string {
  if (node.const !== undefined) return code(JSON.stringify(node.const));
  if (node.enum) return node.enum.map((value) => code(value)).join(', ');
  if (node.anyOf ?? node.oneOf) return [...new Set((node.anyOf ?? node.oneOf)!.map(typeOf))].join(' or ');
  if (node.items)
    return `list of ${typeOf(node.items)}${(node.minItems ?? 0) > 0 ? `; at least ${node.minItems} of them` : ''}`;
  return [node.type ?? 'anything'].flat().join(' or ') + rangeOf(node);
}

/** Returns the allowed range of a number or a length, e.g. «, 1 to 3600». */
function rangeOf({ type, minimum, exclusiveMinimum, maximum, minLength = 0, maxLength }: Node): string {
  if (maxLength !== undefined) return `, ${minLength} to ${maxLength} characters`;
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const next = type === 'integer' && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined;
  const least = next ?? (minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum);
  const above = exclusiveMinimum === undefined || next !== undefined ? undefined : `above ${exclusiveMinimum}`;
  if (above !== undefined) return most === undefined ? `, ${above}` : `, ${above} to ${most}`;
  if (least !== undefined) return most === undefined ? `, at least ${least}` : `, ${least} to ${most}`;
  return most === undefined ? '' : `, at most ${most}`;
}
