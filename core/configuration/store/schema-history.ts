/**
 * Which releases can read a stored configuration. A configuration is stored with every default filled in, and read strictly, so a
 * member that a newer release added would stop an older one. Members added since schema 1 are therefore listed here: where one
 * holds its default it is not stored, and where it is used the version carries the schema number that knows it [config.schema-number].
 */
import type { Configuration } from '#core/contracts/config.ts';
import { canonicalize } from '#core/kernel/canonical.ts';

interface SchemaAddition {
  /** The number of the schema that knows the member: one more than that of the release before. */
  readonly schema: number;
  /** Members from the root, with `[]` for each element of a list and `*` for each member of a map: `tenants[].api_keys[].label`. */
  readonly path: string;
  /** What the member means where it is absent; `undefined` for an optional one. */
  readonly default?: unknown;
}

/** A test compares this list and the recorded members of schema 1 with the schema in force: a new member has to be added here. */
export const schemaAdditions: readonly SchemaAddition[] = [];

export const schemaOf = (additions: readonly SchemaAddition[]): number =>
  Math.max(1, ...additions.map(({ schema }) => schema));

/** What this release reads: every stored schema up to this number. */
export const currentSchema = schemaOf(schemaAdditions);

interface Storable {
  readonly document: unknown;
  /** The lowest schema number that reads the document. */
  readonly schema: number;
}

/** The document without members that only newer releases know and that hold their defaults. */
export function storable(configuration: Configuration, additions = schemaAdditions): Storable {
  const document = structuredClone(configuration);
  const used = additions.filter((addition) => occursIn(document, steps(addition.path), addition.default));
  return { document, schema: schemaOf(used) };
}

const steps = (path: string): string[] => path.replaceAll('[]', '.[]').split('.');

/** True where the member stands with another value than its default; elsewhere the member is removed. */
function occursIn(value: unknown, [step, ...rest]: readonly string[], standard: unknown): boolean {
  if (step === undefined || typeof value !== 'object' || value === null) return false;
  const record = value as Record<string, unknown>;
  if (step === '[]' || step === '*')
    return Object.values(record)
      .map((item) => occursIn(item, rest, standard))
      .includes(true);
  if (!Object.hasOwn(record, step)) return false;
  if (rest.length > 0) return occursIn(record[step], rest, standard);
  if (record[step] !== undefined && !same(record[step], standard)) return true;
  delete record[step];
  return false;
}

const same = (value: unknown, standard: unknown): boolean =>
  standard !== undefined && canonicalize(value) === canonicalize(standard);
